// Defines the Requests screen: single requests by any filter, their totals and histograms, compared groups, and a live view.

import { LitElement, html, nothing } from 'lit';

import { pagesOf } from '../../../../ui/api/http/call.ts';
import type { UsageEvent } from '../../../../ui/api/records.ts';
import { findRequests } from '../../../../ui/api/usage.ts';
import '../../../../ui/elements/empty.ts';
import '../../../../ui/elements/icon.ts';
import { failureNotice, loaded } from '../../../../ui/elements/loaded.ts';
import '../../../../ui/elements/overlay/drawer.ts';
import '../../../../ui/elements/page.ts';
import { Resource } from '../../../../ui/elements/resource.ts';
import '../../../../ui/elements/table/table.ts';
import { Watch } from '../../../../ui/elements/watch.ts';
import { wantedFor, wantedMore } from '../../../../ui/lib/page/pages.ts';
import { edgesOf, isoEdges, readRange, writeRange } from '../../../../ui/lib/page/range.ts';
import type { Range } from '../../../../ui/lib/page/range.ts';
import { formatCount, formatNumber } from '../../../../ui/lib/text/format.ts';
import { lookActions } from '../../../../ui/parts/look-actions.ts';
import '../../../../ui/screens/usage/request.ts';
import { changeQuery, linkTo, openRest, place } from '../../../../ui/state/location.ts';
import { keepView, tableView } from '../../../../ui/state/table-view.ts';
import { base, buttons, controls } from '../../../../ui/styles/base.ts';
import { panels } from '../../../../ui/styles/panels.ts';
import { chartsOf } from '../charts.ts';
import '../chips.ts';
import { columns } from '../columns.ts';
import { comparedRow } from '../compared.ts';
import { filterQueryOf } from '../filters.ts';
import type { Query } from '../filters.ts';
import { Live, withLive } from '../live.ts';
import { liveBar } from '../live-bar.ts';
import { loadSummaries, readCompared, writeCompared } from '../load.ts';
import type { Loaded } from '../load.ts';
import { screenStyles } from '../screen-styles.ts';
import { comparison, tiles } from '../totals.ts';
import '../views-menu.ts';

const text = {
  heading: 'Requests',
  about: 'Single requests by any filter. The address contains the whole view.',
  empty: 'No requests match',
  emptyAbout:
    'Requests appear a few seconds after the gateway answers them. Remove a filter, or choose a longer range.',
  longer: 'Show last 30 days',
  clear: 'Clear filters',
  compare: 'Compare',
  live: 'Live',
};

const day: Range = { kind: 'last', ms: 24 * 3_600_000 };
const pollMs = 30_000;
const steps = { first: 100, more: 400, max: 1_000 };

const command =
  'curl -H "authorization: Bearer $GW_TOKEN" "$GW_ADMIN_URL/admin/usage/events?limit=10"';

class ScreenRequests extends LitElement {
  static override styles = [base, buttons, controls, panels, screenStyles];
  readonly #place = new Watch(this, place);
  #wanted = wantedFor(null, '', steps);
  /** Times that the list was asked for older requests. */
  #searches = 1;

  readonly #summaries = new Resource(this, (signal) => loadSummaries(this.#asked(), signal), {
    pollMs,
    pausable: true,
    question: () => JSON.stringify([this.#question(), this.#compared()]),
  });
  readonly #list = new Resource(this, (signal) => this.#load(signal), {
    // A long search is not repeated.
    pollMs: () => (this.#isLive() || this.#isSearched() ? null : pollMs),
    pausable: true,
    question: () => this.#question(),
  });
  readonly #live = new Live(this, () => (this.#isLive() ? this.#filter() : null));

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? day;
  }

  #filter(): Query {
    return filterQueryOf(this.#place.value.query);
  }

  #compared() {
    return readCompared(this.#place.value.query['vs']);
  }

  #isLive(): boolean {
    return this.#place.value.query['live'] === '1';
  }

  #isSearched(): boolean {
    return (this.#list.value?.searchedSince ?? null) !== null;
  }

  #question(): string {
    return JSON.stringify([writeRange(this.#range()), this.#filter()]);
  }

  #asked() {
    return { range: this.#range(), filter: this.#filter(), compared: this.#compared() };
  }

  #listQuery() {
    return { ...this.#filter(), ...isoEdges(edgesOf(this.#range(), Date.now())) };
  }

  #load(signal: AbortSignal) {
    const question = this.#question();
    if (this.#wanted.asked !== question) this.#searches = 1;
    this.#wanted = wantedFor(this.#wanted, question, steps);
    const wanted = { rows: this.#wanted.rows, pages: 5 * this.#searches, signal };
    return findRequests(this.#listQuery(), wanted);
  }

  protected override render() {
    const compared = this.#compared();
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${lookActions({
          range: this.#range(),
          shown: this.#summaries,
          choose: (range) => changeQuery({ range }),
        })}
        ${this.#actions()}
        <gw-request-filters
          .query=${this.#filter()}
          .rows=${this.#list.value?.rows ?? []}
          @gw-filter=${({ detail }: CustomEvent<Record<string, string | null>>) =>
            changeQuery(detail)}
        ></gw-request-filters>
        ${
          compared === null
            ? nothing
            : comparedRow({ compared, rows: this.#list.value?.rows ?? [] })
        }
        ${failureNotice(this.#summaries)}
        ${loaded(this.#summaries, (summaries) => this.#summary(summaries))}
        ${failureNotice(this.#list)} ${loaded(this.#list, (list) => this.#table(list))}
      </gw-page>
      ${this.#drawer()}`;
  }

  #actions() {
    const isLive = this.#isLive();
    const isCompared = this.#compared() !== null;
    const before = writeCompared({ filter: this.#filter(), shift: 'before' });
    return html`<gw-request-views slot="actions"></gw-request-views>
      <button
        slot="actions"
        type="button"
        aria-pressed=${isCompared ? 'true' : 'false'}
        @click=${() => changeQuery({ vs: isCompared ? null : before })}
      >
        <gw-icon name="columns-3"></gw-icon>${text.compare}
      </button>
      <button
        slot="actions"
        type="button"
        aria-pressed=${isLive ? 'true' : 'false'}
        @click=${() => changeQuery({ live: isLive ? null : '1' })}
      >
        <gw-icon name="activity"></gw-icon>${text.live}
      </button>`;
  }

  #summary(summaries: Loaded) {
    const { own, other } = summaries;
    if (own.requests === 0 && (other === null || other.requests === 0)) return nothing;
    return html`<div class="shown ${this.#summaries.isOld ? 'old' : ''}">
      ${other === null ? tiles(own) : comparison(summaries)}
      ${chartsOf(summaries, {
        onZoom: ({ detail }) => changeQuery({ range: writeRange({ kind: 'between', ...detail }) }),
        query: this.#place.value.query,
      })}
      ${
        own.searched_since === null
          ? nothing
          : html`<p class="part">
              Totals and charts show the newest matches only: requests before
              <gw-time absolute at=${own.searched_since}></gw-time> are too many to be read at once.
            </p>`
      }
    </div>`;
  }

  #table(list: Awaited<ReturnType<typeof findRequests>>) {
    const isLive = this.#isLive();
    const rows = isLive ? withLive(this.#live.rows, list.rows) : list.rows;
    const { query } = this.#place.value;
    if (rows.length === 0 && !isLive && list.isAll) return this.#empty();
    return html`${isLive ? liveBar(this.#live) : nothing}<gw-table
        partial
        label=${text.heading}
        noun="request"
        .columns=${columns}
        .rows=${rows}
        .keyOf=${({ id }: UsageEvent) => id}
        .hrefOf=${({ id }: UsageEvent) => linkTo({ screen: 'requests', rest: [id], query })}
        .chosen=${this.#place.value.rest[0] ?? null}
        .view=${tableView()}
        .follow=${(signal: AbortSignal) =>
          pagesOf('/admin/usage/events', { query: this.#listQuery(), signal })}
        ?stale=${this.#list.isOld || this.#list.failure !== null}
        @gw-view=${keepView}
      ></gw-table>
      ${this.#rest(list, rows.length)}`;
  }

  #rest({ total, isAll, searchedSince }: Awaited<ReturnType<typeof findRequests>>, shown: number) {
    const { loading } = this.#list;
    if (isAll) return html`<p class="rest">End of list</p>`;
    const of = total === null ? '' : ` of ${formatCount(total, 'request')}`;
    if (searchedSince !== null) {
      return html`<p class="rest">
        Searched back to <gw-time absolute at=${searchedSince}></gw-time>.
        <button type="button" ?disabled=${loading} @click=${this.#onSearch}>
          ${loading ? 'Searching…' : 'Search older'}
        </button>
      </p>`;
    }
    if (shown >= steps.max) {
      return html`<p class="rest">
        The newest ${formatNumber(steps.max)}${of}. Narrow the filter, or export all.
      </p>`;
    }
    return html`<p class="rest">
      <button type="button" ?disabled=${loading} @click=${this.#onMore}>
        ${loading ? 'Loading' : 'Load'} older${total === null ? '' : `,${of}`}
      </button>
    </p>`;
  }

  #empty() {
    const hasFilter = Object.keys(this.#filter()).length > 0;
    return html`<gw-empty heading=${text.empty} icon="list-filter" command=${command}>
      <span slot="about">${text.emptyAbout}</span>
      <a
        class="button primary"
        href=${linkTo({ screen: 'requests', query: { ...this.#filter(), range: '30d' } })}
        >${text.longer}</a
      >
      ${
        hasFilter
          ? html`<a class="button" href=${linkTo({ screen: 'requests' })}>${text.clear}</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #drawer() {
    const [id = ''] = this.#place.value.rest;
    return html`<gw-drawer heading="Request" ?open=${id !== ''} @gw-close=${() => openRest([])}>
      ${id === '' ? nothing : html`<gw-usage-request .requestId=${id}></gw-usage-request>`}
    </gw-drawer>`;
  }

  readonly #onMore = (): void => {
    const answered = this.#list.value?.rows.length ?? 0;
    this.#wanted = wantedMore({ ...this.#wanted, answered }, steps);
    void this.#list.reload();
  };

  readonly #onSearch = (): void => {
    this.#searches += 1;
    void this.#list.reload();
  };
}

customElements.define('gw-screen-requests', ScreenRequests);
