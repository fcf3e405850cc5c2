// Replays recorded requests on the proposed configuration and shows which would be rerouted, denied or allowed, and what they would
// cost. A button starts it, because it reads many requests.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../../../ui/elements/element.ts';
import { asFailure } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { askWhatIf } from './ask.ts';
import type { Proposal, WhatIf, WhatIfChanged, WhatIfSummary } from './ask.ts';
import '../../../ui/elements/badge.ts';
import type { Tone } from '../../../ui/elements/badge.ts';
import '../../../ui/elements/error.ts';
import '../../../ui/elements/icon.ts';
import '../../../ui/elements/chart/kpi.ts';
import '../../../ui/elements/form/range.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { formatNumber, formatShare } from '../../../ui/lib/text/format.ts';
import { edgesOf, isoEdges, readRange } from '../../../ui/lib/page/range.ts';
import { readView } from '../../../ui/lib/page/table-view.ts';
import type { TableView } from '../../../ui/lib/page/table-view.ts';
import { amountText, destinationText, gapsOf, changedCount, verdictText } from './words.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';

const tones: Readonly<Record<WhatIfChanged['change'], Tone>> = {
  same: 'plain',
  newly_denied: 'bad',
  newly_allowed: 'warn',
  rerouted: 'info',
};

type Group = Readonly<{ name: string }> & WhatIf['total'];

const changedColumns: readonly Column<WhatIfChanged>[] = [
  {
    id: 'at',
    label: 'Request',
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time absolute at=${at}></gw-time>`,
  },
  { id: 'principal', label: 'Principal', value: ({ principal }) => principal },
  { id: 'model', label: 'Requested model', value: ({ model }) => model },
  {
    id: 'change',
    label: 'Effect',
    value: ({ change }) => change,
    cell: ({ change }) =>
      html`<gw-badge tone=${tones[change]}>${change.replaceAll('_', ' ')}</gw-badge>`,
  },
  { id: 'before', label: 'Before', value: ({ before }) => destinationText(before) },
  { id: 'after', label: 'After', value: ({ after }) => destinationText(after) },
];

const groupColumns = (label: string): readonly Column<Group>[] => [
  { id: 'name', label, value: ({ name }) => name },
  {
    id: 'changedCount',
    label: 'Affected',
    end: true,
    value: (one) => changedCount(one),
    cell: (one) => html`${formatNumber(changedCount(one))} of ${formatNumber(one.requests)}`,
  },
  { id: 'denied', label: 'Newly denied', end: true, value: (one) => one.newly_denied },
  {
    id: 'cost',
    label: 'Cost',
    end: true,
    value: (one) => Number(one.cost_difference),
    cell: (one) => amountText(one.cost_difference, { signed: true }),
  },
];

class GwWhatIf extends element({
  /** Null if the proposal cannot be previewed. */
  proposal: given<Proposal | null>(null),
  /** Set if the server sent the result for the last day with the preview. */
  known: given<WhatIfSummary | null>(null),
  /** In the form of the URL. */
  range: state<string>('24h'),
  busy: state(false),
  found: state<WhatIfSummary | null>(null),
  failure: state<ApiFailure | null>(null),
  view: state<TableView>(readView({})),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .ask {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
      }

      h4 {
        margin: var(--space-4) 0 var(--space-2);
        font-size: var(--text-m);
        font-weight: 500;
      }

      .tiles {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
        gap: var(--space-3);
      }

      .groups {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
        gap: 0 var(--space-5);
        --table-height: 18rem;
      }

      .gaps {
        margin-top: var(--space-3);
        padding-left: var(--space-4);
        color: var(--text-2);
        font-size: var(--text-s);
        list-style: disc;
      }
    `,
  ];
  #asking: AbortController | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#asking?.abort();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('proposal');
    if (before === undefined || JSON.stringify(before) === JSON.stringify(this.proposal)) return;
    this.#asking?.abort();
    this.found = null;
    this.failure = null;
  }

  protected override render() {
    const shown = this.found ?? this.known;
    return html`<div class="section"><h3>Preview impact on recent traffic</h3></div>
      ${this.proposal === null ? nothing : this.#question()}
      <gw-error .failure=${this.failure}></gw-error>
      ${shown === null ? nothing : this.#found(shown)}`;
  }

  #question() {
    return html`<div class="ask">
      <gw-range
        value=${this.range}
        @gw-range=${({ detail }: CustomEvent<string>) => {
          this.range = detail;
        }}
      ></gw-range>
      <button type="button" ?disabled=${this.busy} @click=${this.#ask}>
        <gw-icon name="route"></gw-icon>${this.busy ? 'Running…' : 'Run preview'}
      </button>
    </div>`;
  }

  #found(found: WhatIfSummary) {
    const gaps = gapsOf(found);
    return html`<h4 role="status">${verdictText(found)}</h4>
      ${found.total.requests === 0 ? nothing : this.#sums(found)}
      ${
        gaps.length === 0
          ? nothing
          : html`<ul class="gaps">
              ${gaps.map((text) => html`<li>${text}</li>`)}
            </ul>`
      }
      ${found.changed.length === 0 ? nothing : this.#changed(found)}`;
  }

  #sums({ total, by_principal: people, by_model: models }: WhatIfSummary) {
    const tile = (label: string, count: number, tone: 'plain' | 'warn' | 'bad' = 'plain') =>
      html`<gw-kpi label=${label} value=${formatNumber(count)} tone=${count === 0 ? 'plain' : tone}
        >${formatShare(count, total.requests)}</gw-kpi
      >`;
    return html`<div class="tiles">
        ${tile('Rerouted', total.rerouted)} ${tile('Newly denied', total.newly_denied, 'bad')}
        ${tile('Newly allowed', total.newly_allowed, 'warn')}
        <gw-kpi label="Cost" value=${amountText(total.cost_difference, { signed: true, digits: 4 })}
          >${amountText(total.cost_before)} → ${amountText(total.cost_after)}</gw-kpi
        >
      </div>
      <div class="groups">
        ${this.#groups('Model', 'model', models, ({ model }) => model)}
        ${this.#groups('Principal', 'principal', people, ({ principal }) => principal)}
      </div>`;
  }

  #groups<One extends WhatIf['total']>(
    heading: string,
    noun: string,
    { first, rest }: Readonly<{ first: readonly One[]; rest: WhatIf['total'] | null }>,
    nameOf: (one: One) => string,
  ) {
    const rows: readonly Group[] = [
      ...first.map((one) => Object.assign({}, one, { name: nameOf(one) })),
      ...(rest === null ? [] : [Object.assign({}, rest, { name: 'others' })]),
    ].filter((one) => changedCount(one) > 0 || Number(one.cost_difference) !== 0);
    if (rows.length === 0) return nothing;
    return html`<div>
      <h4>By ${noun}</h4>
      <gw-table
        partial
        label="By ${noun}"
        noun=${noun}
        .columns=${groupColumns(heading)}
        .rows=${rows}
        .keyOf=${({ name }: Group) => name}
      ></gw-table>
    </div>`;
  }

  #changed({ changed, total }: WhatIfSummary) {
    return html`<h4>
        ${
          changed.length < changedCount(total)
            ? `The first ${changed.length} affected requests`
            : 'Affected requests'
        }
      </h4>
      <gw-table
        label="Affected requests"
        noun="request"
        .columns=${changedColumns}
        .rows=${changed}
        .keyOf=${(one: WhatIfChanged) => one.usage_id}
        .hrefOf=${(one: WhatIfChanged) =>
          linkTo({ screen: 'usage', rest: ['request', one.usage_id] })}
        .view=${this.view}
        @gw-view=${({ detail }: CustomEvent<TableView>) => {
          this.view = detail;
        }}
      ></gw-table>`;
  }

  readonly #ask = async (): Promise<void> => {
    const range = readRange(this.range);
    if (range === null || this.proposal === null) return;
    const asking = new AbortController();
    this.#asking = asking;
    this.busy = true;
    this.failure = null;
    try {
      const window = isoEdges(edgesOf(range, Date.now()));
      const { body } = await askWhatIf({ ...this.proposal, ...window }, asking.signal);
      this.found = body;
    } catch (error) {
      if (!asking.signal.aborted) this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  };
}

customElements.define('gw-what-if', GwWhatIf);
