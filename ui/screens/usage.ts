// Defines the screen of usage and spend: requests and cost by group, compared with the previous period. A group opens its requests.

import { LitElement, css, html, nothing } from 'lit';

import { list } from '../api/http/call.ts';
import '../elements/icon.ts';
import '../elements/overlay/drawer.ts';
import '../elements/empty.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table/table.ts';
import { Watch } from '../elements/watch.ts';
import { drawnBelowUsage } from '../extension.ts';
import { wantedFor, wantedMore } from '../lib/page/pages.ts';
import { edgesOf, isoEdges, readRange, writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';
import {
  groupings,
  hiddenText,
  rangeOfDay,
  readGrouping,
  rowFilterOf,
} from '../lib/observe/usage.ts';
import { ChangeMarkers, routingKinds } from '../parts/change-markers.ts';
import { lookActions } from '../parts/look-actions.ts';
import { screenNamed } from '../screens.ts';
import { apiBase } from '../state/base.ts';
import { changeQuery, linkTo, openRest, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { panels } from '../styles/panels.ts';
import './usage/bills.ts';
import { columnsOf } from './usage/columns.ts';
import { groupSteps, loadUsage } from './usage/load.ts';
import type { Group, Usage } from './usage/load.ts';
import './usage/request.ts';
import './usage/requests.ts';
import { charts, tiles } from './usage/sums.ts';

const text = {
  heading: 'Usage and spend',
  about: 'Requests, tokens and cost. Days are UTC.',
  empty: 'No requests in this range',
  emptyAbout:
    'Requests appear a few seconds after the gateway answers them. Choose a longer range, or send a request.',
  longer: 'Show last 30 days',
  send: 'Send a request',
  export: 'Export FOCUS CSV',
  bills: 'Bills',
};

const day: Range = { kind: 'last', ms: 24 * 3_600_000 };

const chat = '{"model":"MODEL","messages":[{"role":"user","content":"Hello"}]}';
const address = '"$GW_GATEWAY_URL/v1/chat/completions"';
const request = `curl --json '${chat}' -H "authorization: Bearer $GW_KEY" ${address}`;

class ScreenUsage extends LitElement {
  static override styles = [
    base,
    buttons,
    controls,
    panels,
    css`
      gw-error {
        margin-bottom: var(--space-4);
      }

      label {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        color: var(--text-2);
        white-space: nowrap;
      }

      label select {
        width: auto;
      }

      .capped {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        margin-top: var(--space-2);
        color: var(--text-2);
        font-size: var(--text-s);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #usage = new Resource(this, (signal) => this.#load(signal), {
    pollMs: 30_000,
    pausable: true,
    question: () => this.#question(),
  });
  readonly #changes = new ChangeMarkers(this, {
    range: () => this.#range(),
    kinds: routingKinds,
  });
  readonly #principals = new Resource(this, (signal) => list('/admin/principals', { signal }));

  #wanted = wantedFor(null, '', groupSteps);

  #question(): string {
    return `${writeRange(this.#range())} ${this.#grouping()}`;
  }

  #load(signal: AbortSignal): Promise<Usage> {
    this.#wanted = wantedFor(this.#wanted, this.#question(), groupSteps);
    const { rows: wanted } = this.#wanted;
    return loadUsage({ range: this.#range(), grouping: this.#grouping(), wanted }, signal);
  }

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? day;
  }

  #grouping() {
    return readGrouping(this.#place.value.query['group']);
  }

  protected override render() {
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${lookActions({
          range: this.#range(),
          shown: this.#usage,
          choose: (range) => this.#show({ range }),
        })}
        <a class="button" slot="actions" href=${this.#exportAddress()} download>
          <gw-icon name="download"></gw-icon>${text.export}
        </a>
        <a class="button" slot="actions" href=${linkTo({ screen: 'usage', rest: ['bills'] })}>
          ${text.bills}
        </a>
        ${failureNotice(this.#usage)} ${loaded(this.#usage, (usage) => this.#all(usage))}
        ${drawnBelowUsage()}
      </gw-page>
      ${this.#drawer()}`;
  }

  #exportAddress(): string {
    const query = new URLSearchParams(isoEdges(edgesOf(this.#range(), Date.now())));
    return `${apiBase}admin/usage/export?${query.toString()}`;
  }

  #all(usage: Usage) {
    if (usage.groups.length === 0) return this.#empty();
    return html`<div class="shown ${this.#usage.isOld ? 'old' : ''}">
      ${tiles(usage)} ${charts(usage, { markers: this.#changes.shown, onZoom: this.#onZoom })}
      ${this.#table(usage)}
    </div>`;
  }

  #empty() {
    return html`<gw-empty heading=${text.empty} icon="receipt-text" command=${request}>
      <span slot="about">${text.emptyAbout}</span>
      <a class="button primary" href=${linkTo({ screen: 'usage', query: { range: '30d' } })}
        >${text.longer}</a
      >
      ${
        may('config:write') && screenNamed('playground') !== undefined
          ? html`<a class="button" href=${linkTo({ screen: 'playground' })}>${text.send}</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table({ groups, hiddenGroups, now }: Usage) {
    const grouping = this.#grouping();
    return html`<gw-table
        label="Usage"
        noun="group"
        .columns=${columnsOf(grouping, { groups, spend: now.costMicros ?? 0 })}
        .rows=${groups}
        .keyOf=${({ key }: Group) => key ?? ''}
        .hrefOf=${(one: Group) => this.#hrefOf(one)}
        .chosen=${this.#place.value.rest[1] ?? null}
        .view=${tableView()}
        ?stale=${this.#usage.loading && this.#usage.failure !== null}
        @gw-view=${keepView}
      >
        <label slot="bar"
          >Group by
          <select @change=${this.#onGroup}>
            ${groupings.map(
              ({ value, label }) =>
                html`<option value=${value} ?selected=${value === grouping}>${label}</option>`,
            )}
          </select></label
        >
      </gw-table>
      ${hiddenGroups === 0 ? nothing : this.#rest(groups.length, hiddenGroups)}`;
  }

  #rest(shown: number, hidden: number) {
    const { loading } = this.#usage;
    return html`<p class="capped">
      ${hiddenText({ shown, hidden })}
      ${
        shown >= groupSteps.max
          ? nothing
          : html`<button type="button" ?disabled=${loading} @click=${() => this.#more(shown)}>
              ${loading ? 'Loading…' : 'Show more'}
            </button>`
      }
    </p>`;
  }

  #more(shown: number): void {
    this.#wanted = wantedMore({ ...this.#wanted, answered: shown }, groupSteps);
    void this.#usage.reload();
  }

  /** A day opens its groups. Other groups open their requests if the API can filter by them. */
  #hrefOf({ key }: Group): string | null {
    const { query } = this.#place.value;
    const grouping = this.#grouping();
    if (grouping === 'day') {
      const range = key === null ? null : rangeOfDay(key);
      return range === null
        ? null
        : linkTo({ screen: 'usage', query: { ...query, range, group: 'model' } });
    }
    if (key === null) return null;
    return rowFilterOf(grouping, key, this.#principals.value ?? []) === null
      ? null
      : linkTo({ screen: 'usage', rest: [grouping, key], query });
  }

  /** `/model/gpt`, `/request/01J…`, `/bills`, `/bills/7d0f…`. */
  #drawer() {
    const [kind = '', key = ''] = this.#place.value.rest;
    if (kind === 'bills') {
      return html`<gw-drawer heading=${text.bills} open @gw-close=${() => openRest([])}>
        <gw-usage-bills .reportId=${key}></gw-usage-bills>
      </gw-drawer>`;
    }
    const isRequest = kind === 'request';
    const filter =
      isRequest || key === ''
        ? null
        : rowFilterOf(readGrouping(kind), key, this.#principals.value ?? []);
    return html`<gw-drawer
      heading=${isRequest ? 'Request' : key}
      ?open=${key !== '' && (isRequest || filter !== null)}
      @gw-close=${() => openRest([])}
    >
      ${
        isRequest
          ? html`<gw-usage-request .requestId=${key}></gw-usage-request>`
          : filter === null
            ? nothing
            : html`<gw-usage-requests
                grouping=${readGrouping(kind)}
                .group=${this.#groupOf(kind, key)}
                .range=${writeRange(this.#range())}
                .filter=${filter}
              ></gw-usage-requests>`
      }
    </gw-drawer>`;
  }

  #groupOf(kind: string, key: string): Group | undefined {
    const isShown = readGrouping(kind) === this.#grouping();
    return isShown ? this.#usage.value?.groups.find((one) => one.key === key) : undefined;
  }

  readonly #onGroup = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) this.#show({ group: target.value, page: null });
  };

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    this.#show({ range: writeRange({ kind: 'between', ...detail }) });

  #show(change: Readonly<Record<string, string | null>>): void {
    changeQuery(change);
  }
}

customElements.define('gw-screen-usage', ScreenUsage);
