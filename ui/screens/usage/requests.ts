// Lists the requests of a group, newest first; older ones load on demand.

import { css, html, nothing } from 'lit';

import { cachedCounts, tokenParts, unitCounts } from '../../../src/usage/counts.ts';
import { element, given, text } from '../../elements/element.ts';
import type { UsageEvent } from '../../api/records.ts';
import { pagesOf } from '../../api/http/call.ts';
import { findRequests } from '../../api/usage.ts';
import '../../elements/badge.ts';
import { loaded, failureNotice } from '../../elements/loaded.ts';
import '../../elements/money.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import { formatCount, formatDuration, formatMoneyOf, formatNumber } from '../../lib/text/format.ts';
import { edgesOf, isoEdges, readRange } from '../../lib/page/range.ts';
import { wantedFor, wantedMore } from '../../lib/page/pages.ts';
import type { Wanted } from '../../lib/page/pages.ts';
import { spendFormat } from '../../lib/observe/usage.ts';
import type { Grouping, rowFilterOf } from '../../lib/observe/usage.ts';
import { formatPart } from '../../lib/observe/usage-cost.ts';
import { failedAttemptsOf, outcomeOf } from '../../lib/observe/usage-outcome.ts';
import { screenNamed } from '../../screens.ts';
import { linkTo, place } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import { groupFacts } from './group.ts';
import type { Group } from './load.ts';
import './what-if.ts';

const rowsMax = 1_000;
/** Adds the corrected cost. */
const costs = { include: 'breakdown' } as const;
const steps = { first: 50, more: 450, max: rowsMax };

const counted = (
  id: string,
  label: string,
  countOf: (one: UsageEvent) => number | null,
): Column<UsageEvent> => ({
  id,
  label,
  end: true,
  spare: true,
  value: countOf,
  cell: (one) => formatPart(countOf(one)),
});

const costColumns = (rows: readonly UsageEvent[]): readonly Column<UsageEvent>[] => {
  const formatCost = spendFormat(rows.map(({ cost_micros }) => cost_micros));
  return [
    counted('prompt_tokens', 'Prompt tokens', (one) => one.prompt_tokens),
    counted('completion_tokens', 'Completion tokens', (one) => one.completion_tokens),
    ...tokenParts.map(({ name, label }) => counted(name, label, (one) => one[name])),
    ...[...unitCounts, ...cachedCounts].map(({ name, label }) =>
      counted(name, label, ({ units }) => units?.[name] ?? null),
    ),
    {
      id: 'cost',
      label: 'Cost',
      end: true,
      value: ({ cost_micros }) => cost_micros,
      cell: ({ cost_micros, currency, refusal }) => {
        if (cost_micros !== null) {
          return (currency ?? 'USD') === 'USD'
            ? formatCost(cost_micros)
            : formatMoneyOf(cost_micros, currency);
        }
        return refusal === null ? html`<gw-money .micros=${null}></gw-money>` : '';
      },
    },
    {
      id: 'corrected',
      label: 'Corrected cost',
      end: true,
      spare: !rows.some(({ corrected = null }) => corrected !== null),
      value: ({ corrected = null, cost_micros }) =>
        corrected === null ? cost_micros : corrected.cost_micros,
      cell: ({ corrected = null }) =>
        corrected === null
          ? html`<span class="quiet">not corrected</span>`
          : formatMoneyOf(corrected.cost_micros, corrected.currency),
    },
  ];
};

/** Columns with the same value in every row are hidden at first. */
const columnsOf = (
  grouping: Grouping,
  rows: readonly UsageEvent[],
): readonly Column<UsageEvent>[] => {
  return [
    {
      id: 'at',
      label: 'When',
      value: ({ at }) => at,
      cell: ({ at }) => html`<gw-time at=${at}></gw-time>`,
    },
    {
      id: 'outcome',
      label: 'Outcome',
      value: (one) => outcomeOf(one).word,
      cell: (one) => {
        const { tone, word } = outcomeOf(one);
        return html`<gw-badge tone=${tone}>${word}</gw-badge>`;
      },
    },
    {
      id: 'model',
      label: 'Model',
      spare: grouping === 'model',
      value: ({ model, virtual_model }) => model ?? virtual_model,
    },
    {
      id: 'tokens',
      label: 'Tokens',
      end: true,
      value: (one) => one.prompt_tokens + one.completion_tokens,
      cell: (one) => formatNumber(one.prompt_tokens + one.completion_tokens),
    },
    ...costColumns(rows),
    {
      id: 'duration',
      label: 'Took',
      end: true,
      value: ({ duration_ms }) => duration_ms,
      cell: ({ duration_ms }) => formatDuration(duration_ms),
    },
    {
      id: 'failed_attempts',
      label: 'Failed attempts',
      end: true,
      spare: !rows.some((row) => failedAttemptsOf(row) > 0),
      value: failedAttemptsOf,
    },
    {
      id: 'principal',
      label: 'Principal',
      spare: grouping !== 'model',
      value: ({ principal }) => principal,
    },
  ];
};

class GwUsageRequests extends element({
  /** The filter from the address. */
  range: text(),
  filter: given<NonNullable<ReturnType<typeof rowFilterOf>>>(),
  grouping: text<Grouping>(),
  /** Hidden if the page shows other totals. */
  group: given<Group | undefined>(),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      :host {
        --table-height: none;
      }

      .open {
        margin: var(--space-3) 0 var(--space-4);
      }

      .more {
        margin-top: var(--space-3);
      }
    `,
  ];
  #columns: readonly Column<UsageEvent>[] = [];
  #drawn: readonly UsageEvent[] = [];
  #wanted: Wanted | null = null;
  #found: Awaited<ReturnType<typeof findRequests>> | null = null;
  readonly #rows = new Resource(this, (signal) => this.#load(signal), {
    question: () => this.#question(),
  });

  #question(): string {
    return JSON.stringify([this.range, this.filter]);
  }

  async #load(signal: AbortSignal): Promise<readonly UsageEvent[]> {
    const wanted = wantedFor(this.#wanted, this.#question(), steps);
    this.#wanted = wanted;
    const query = { ...this.#asked(), ...costs };
    const found = await findRequests(query, { rows: wanted.rows, signal });
    this.#found = found;
    if (this.#wanted === wanted) this.#wanted = { ...wanted, answered: wanted.rows };
    return found.rows;
  }

  #asked() {
    const range = readRange(this.range);
    const edges = range === null ? {} : isoEdges(edgesOf(range, Date.now()));
    return { ...this.filter, ...edges };
  }

  #follow(signal: AbortSignal) {
    return pagesOf('/admin/usage/events', { query: { ...this.#asked(), ...costs }, signal });
  }

  protected override render() {
    return html`${failureNotice(this.#rows)} ${loaded(this.#rows, (rows) => this.#table(rows))}`;
  }

  #table(rows: readonly UsageEvent[]) {
    const { query } = place.get();
    if (rows !== this.#drawn) this.#columns = columnsOf(this.grouping, rows);
    this.#drawn = rows;
    return html`${groupFacts(this.grouping, this.group, rows[0])} ${this.#whatIf()}
      ${this.#explore()}<gw-table
        ?partial=${this.#end() !== 'all'}
        label="Requests"
        noun="request"
        .columns=${this.#columns}
        .rows=${rows}
        .follow=${(signal: AbortSignal) => this.#follow(signal)}
        ?stale=${this.#rows.isOld || this.#rows.failure !== null}
        .keyOf=${({ id }: UsageEvent) => id}
        .hrefOf=${({ id }: UsageEvent) => linkTo({ screen: 'usage', rest: ['request', id], query })}
      ></gw-table>
      ${this.#more(rows.length)}`;
  }

  #explore() {
    if (screenNamed('requests') === undefined) return nothing;
    const filter = Object.entries(this.filter).map(([name, value]) => [name, String(value)]);
    const query = { ...Object.fromEntries(filter), range: this.range };
    return html`<p>
      <a class="button" href=${linkTo({ screen: 'requests', query })}
        >Filter and compare these requests</a
      >
    </p>`;
  }

  #whatIf() {
    const { grouping, filter, range } = this;
    return grouping !== 'model' || filter.model === undefined
      ? nothing
      : html`<gw-usage-what-if .model=${filter.model} .range=${range}></gw-usage-what-if>`;
  }

  /** If all requests are loaded, the table can filter and sort them. */
  #end(): 'all' | 'more' | 'coming' {
    if (this.#found?.isAll === true && !this.#rows.isOld) return 'all';
    return this.#rows.loading ? 'coming' : 'more';
  }

  #more(shown: number) {
    const end = this.#end();
    if (end === 'all') return nothing;
    const { total = null, searchedSince = null } = this.#found ?? {};
    if (searchedSince !== null) {
      return html`<p class="more quiet">
        Older requests than <gw-time absolute at=${searchedSince}></gw-time> were not searched.
        Choose a shorter range.
      </p>`;
    }
    const all = total === null ? 'more' : formatCount(total, 'request');
    if (shown >= rowsMax) {
      return html`<p class="more quiet">
        The newest ${formatNumber(rowsMax)} of ${all}. Choose a shorter range, or export all.
      </p>`;
    }
    return html`<button
      type="button"
      class="more"
      ?disabled=${end === 'coming'}
      @click=${this.#onMore}
    >
      ${end === 'coming' ? 'Loading' : 'Load'} older, of ${all}
    </button>`;
  }

  readonly #onMore = (): void => {
    if (this.#wanted !== null) this.#wanted = wantedMore(this.#wanted, steps);
    void this.#rows.reload();
  };
}

customElements.define('gw-usage-requests', GwUsageRequests);
