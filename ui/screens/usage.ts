// Usage and spend: what was asked and what it cost in a time, by a grouping, beside the time before; a group opens its requests, and a
// request all that is known of it.

import { LitElement, css, html, nothing } from 'lit';

import { listPrincipals } from '../api/principals.ts';
import type { UsageTotal } from '../api/usage.ts';
import '../elements/chart.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/kpi.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/money.ts';
import '../elements/page.ts';
import '../elements/range.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table.ts';
import { Watch } from '../elements/watch.ts';
import { formatCount, formatMoneyShort, formatShare, formatShort } from '../lib/format.ts';
import { readRange, writeRange } from '../lib/range.ts';
import type { Range } from '../lib/range.ts';
import {
  comparedText,
  formatSpend,
  groupings,
  rangeOfDay,
  readGrouping,
  rowFilterOf,
} from '../lib/usage.ts';
import { changeQuery, linkTo, openRest, place } from '../state/location.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, controls } from '../styles/base.ts';
import { columnsOf } from './usage/columns.ts';
import { loadUsage } from './usage/load.ts';
import type { Usage } from './usage/load.ts';
import './usage/request.ts';
import './usage/requests.ts';

const day: Range = { kind: 'last', ms: 24 * 3_600_000 };

class ScreenUsage extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      gw-error {
        margin-bottom: var(--space-4);
      }

      .tiles {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr));
        gap: var(--space-3);
      }

      .charts {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
        gap: var(--space-3);
        margin: var(--space-3) 0 var(--space-5);
      }

      section {
        min-width: 0;
        padding: var(--space-3) var(--space-4);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
      }

      section h2 {
        margin-bottom: var(--space-2);
        font-size: var(--text-m);
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
        margin-top: var(--space-2);
        color: var(--text-2);
        font-size: var(--text-s);
      }

      @media (max-width: 640px) {
        .tiles {
          grid-template-columns: repeat(2, minmax(0, 1fr));
          gap: var(--space-2);
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #usage = new Resource(
    this,
    (signal) => loadUsage({ range: this.#range(), grouping: this.#grouping() }, signal),
    { pollMs: 30_000 },
  );
  readonly #principals = new Resource(this, listPrincipals);

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? day;
  }

  #grouping() {
    return readGrouping(this.#place.value.query['group']);
  }

  protected override render() {
    return html`<gw-page
        heading="Usage and spend"
        about="What was asked and what it cost. Days and buckets are those of UTC."
      >
        <gw-range
          slot="actions"
          value=${writeRange(this.#range())}
          @gw-range=${({ detail }: CustomEvent<string>) => this.#show({ range: detail })}
        ></gw-range>
        ${troubleOf(this.#usage)} ${loaded(this.#usage, (usage) => this.#all(usage))}
      </gw-page>
      ${this.#drawer()}`;
  }

  #all(usage: Usage) {
    if (usage.groups.length === 0) return this.#empty();
    return html`${this.#tiles(usage)} ${this.#charts(usage)} ${this.#table(usage.groups)}`;
  }

  #empty() {
    return html`<gw-empty heading="No requests in this time" icon="receipt-text">
      <span slot="about"
        >A request is counted here as soon as the gateway that answered it has reported it, a few
        seconds later.</span
      >
      <a class="button" href=${linkTo({ screen: 'usage', query: { range: '30d' } })}
        >Look at the last 30 days</a
      >
    </gw-empty>`;
  }

  #tiles({ now, before }: Usage) {
    const unpriced =
      now.unpriced === 0 ? 'all priced' : `+ ${formatCount(now.unpriced, 'unpriced request')}`;
    const changed = comparedText(now.costMicros, before.costMicros);
    return html`<div class="tiles">
      <gw-kpi
        label="Spend"
        value=${formatMoneyShort(now.costMicros)}
        tone=${now.costMicros === null ? 'none' : 'plain'}
        >${unpriced}${changed === '' ? '' : `, ${changed}`}</gw-kpi
      >
      <gw-kpi label="Requests" value=${formatShort(now.requests)}
        >${comparedText(now.requests, before.requests)}</gw-kpi
      >
      <gw-kpi label="Tokens" value=${formatShort(now.tokens)}
        >${comparedText(now.tokens, before.tokens)}</gw-kpi
      >
      <gw-kpi
        label="Failed"
        value=${formatShare(now.failed, now.requests)}
        tone=${now.requests === 0 ? 'none' : now.failed / now.requests > 0.01 ? 'bad' : 'plain'}
        >${formatCount(now.failed, 'request')}</gw-kpi
      >
    </div>`;
  }

  #charts({ points }: Usage) {
    const times = points.map(({ at }) => Date.parse(at));
    const tokens = [
      { label: 'prompt', values: points.map((one) => one.prompt_tokens) },
      { label: 'completion', values: points.map((one) => one.completion_tokens) },
    ];
    const spend = [{ label: 'spend', values: points.map((one) => one.cost_micros) }];
    return html`<div class="charts">
      <section>
        <h2>Spend</h2>
        <gw-chart
          label="Spend of each bucket"
          group="usage"
          .times=${times}
          .series=${spend}
          .format=${formatSpend}
          @gw-zoom=${this.#onZoom}
        ></gw-chart>
      </section>
      <section>
        <h2>Tokens</h2>
        <gw-chart
          label="Tokens of each bucket"
          group="usage"
          .times=${times}
          .series=${tokens}
          .format=${formatShort}
          @gw-zoom=${this.#onZoom}
        ></gw-chart>
      </section>
    </div>`;
  }

  #table(groups: readonly UsageTotal[]) {
    const grouping = this.#grouping();
    return html`<gw-table
        label="Usage"
        noun="group"
        .columns=${columnsOf(grouping, groups)}
        .rows=${groups}
        .keyOf=${({ key }: UsageTotal) => key ?? ''}
        .hrefOf=${(one: UsageTotal) => this.#hrefOf(one)}
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
      ${
        groups.length < 1_000
          ? nothing
          : html`<p class="capped">
              The 1,000 groups of the highest spend; the totals above are of all.
            </p>`
      }`;
  }

  /** A day opens its groups; any other group its requests, where anything can ask for them. */
  #hrefOf({ key }: UsageTotal): string | null {
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

  /** `/model/gpt`, `/request/01J…`. */
  #drawer() {
    const [kind = '', key = ''] = this.#place.value.rest;
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
                .range=${writeRange(this.#range())}
                .filter=${filter}
              ></gw-usage-requests>`
      }
    </gw-drawer>`;
  }

  readonly #onGroup = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) this.#show({ group: target.value, page: null });
  };

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    this.#show({ range: writeRange({ kind: 'between', ...detail }) });

  #show(change: Readonly<Record<string, string | null>>): void {
    changeQuery(change);
  }

  #asked = '';

  /** Asks anew when the address says another time or grouping, by whatever way it came there. */
  protected override willUpdate(): void {
    const asked = `${writeRange(this.#range())} ${this.#grouping()}`;
    if (this.#asked !== '' && asked !== this.#asked) void this.#usage.reload();
    this.#asked = asked;
  }
}

customElements.define('gw-screen-usage', ScreenUsage);
