// Previews prices from public lists next to the current ones, and applies them.

import { css, html, nothing } from 'lit';

import { element, state } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import type { AnswerOf } from '../../api/http/routes.ts';
import '../../elements/error.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import '../../elements/money.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import { formatCount } from '../../lib/text/format.ts';
import { priceDifference } from '../../lib/providers/price-difference.ts';
import { formRows } from '../../parts/form-rows.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { theList } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

type Plan = AnswerOf<'POST', '/admin/prices/sync'>;
type PriceChange = Plan['changes'][number];
type SourceRecord = Plan['sources'][number];
type Source = 'both' | 'aggregator' | 'catalogue';

const sources: readonly Readonly<{ value: Source; label: string }>[] = [
  { value: 'both', label: 'Price aggregator, then model catalog' },
  { value: 'aggregator', label: 'Price aggregator' },
  { value: 'catalogue', label: 'Model catalog' },
];

type Options = Readonly<{ source: Source; overwrite: boolean }>;

const rows: readonly FormRow<Options>[] = [
  { name: 'source', label: 'Source', type: 'select', required: true, choices: sources },
  { name: 'overwrite', label: 'Overwrite existing prices', type: 'checkbox' },
];

type PriceId =
  | 'old_input_price_per_mtok'
  | 'input_price_per_mtok'
  | 'old_output_price_per_mtok'
  | 'output_price_per_mtok';

const priceColumn = (id: PriceId, label: string): Column<PriceChange> => ({
  id,
  label,
  end: true,
  value: (one) => one[id],
  cell: (one) => html`<gw-money exact .micros=${one[id]}></gw-money>`,
});

const columns: readonly Column<PriceChange>[] = [
  { id: 'model', label: 'Model', value: ({ model }) => model },
  priceColumn('old_input_price_per_mtok', 'Input price'),
  priceColumn('input_price_per_mtok', 'New input price'),
  priceColumn('old_output_price_per_mtok', 'Output price'),
  priceColumn('output_price_per_mtok', 'New output price'),
  {
    id: 'card',
    label: 'More prices',
    value: ({ card_changes }) => card_changes.length,
    cell: ({ card_changes: { length } }) =>
      length === 0 ? html`<span class="quiet">unchanged</span>` : formatCount(length, 'change'),
  },
  { id: 'source', label: 'Source', value: ({ source }) => source },
  {
    id: 'found_as',
    label: 'Name in list',
    value: ({ found_as }) => found_as,
    cell: ({ found_as }) => html`<code>${found_as}</code>`,
  },
];

const unmatched = ({ unmatched_models: models }: Plan) =>
  html`<details>
    <summary>${formatCount(models.length, 'model')} not in the price lists</summary>
    <ul>
      ${models.map(
        ({ model, upstream_model: upstream, unused_keys: [unused] }) =>
          html`<li>
            <code>${model}</code>
            <span class="quiet"
              >${upstream === null ? 'no provider' : `looked up as ${upstream}`}${
                unused === undefined ? '' : `: ${unused.key}, ${reasonOf(unused)}`
              }</span
            >
          </li>`,
      )}
    </ul>
  </details>`;

/** The prices of a list that gw does not use, with the reasons. */
const unusedPrices = ({ source, unused_keys: keys, more_unused_keys: more }: SourceRecord) =>
  keys.length === 0
    ? nothing
    : html`<details>
        <summary>
          ${formatCount(keys.length + more, 'kind')} of prices in the
          ${source === 'catalogue' ? 'catalog' : source} not used
        </summary>
        <ul>
          ${keys.map(
            (unused) =>
              html`<li>
                <code>${unused.key}</code>
                <span class="quiet"
                  >${reasonOf(unused)} (${formatCount(unused.models, 'model')})</span
                >
              </li>`,
          )}
        </ul>
      </details>`;

const reasonOf = ({ reason }: Readonly<{ reason: string | null }>): string =>
  reason ?? 'gw does not know this price';

/** Dispatches `gw-review` with the save that applies the prices. */
class GwPriceSync extends element({
  options: state<Options>({ source: 'both', overwrite: false }),
  /** Null before the first preview. */
  plan: state<Plan | null>(null),
  busy: state(false),
  failure: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .options {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: var(--space-4);
        margin-bottom: var(--space-4);
        padding: var(--space-4);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
      }

      .options gw-field[name='source'] {
        width: 15rem;
      }

      .options gw-field[name='overwrite'] {
        flex: 1 1 14rem;
        padding-bottom: 0.25rem;
      }

      .sum {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        margin-bottom: var(--space-3);
      }

      .sum p {
        flex: 1 1 16rem;
      }

      details {
        margin-top: var(--space-4);
      }

      summary {
        cursor: pointer;
      }

      gw-table {
        --table-height: calc(100vh - 25rem);
      }
    `,
  ];

  protected override render() {
    return html`<div class="options" @gw-input=${this.#onInput}>
        ${formRows(rows, this.options)}
        <button type="button" ?disabled=${this.busy} @click=${this.#look}>
          ${this.busy ? 'Loading prices…' : 'Preview prices'}
        </button>
      </div>
      <gw-error retriable .failure=${this.failure} @gw-retry=${this.#look}></gw-error>
      ${this.plan === null ? this.#beforehand() : this.#planned(this.plan)}`;
  }

  #beforehand() {
    return html`<p class="quiet">
      A preview changes nothing. Command: <code>gw sync-prices --dry-run</code>
    </p>`;
  }

  #planned(plan: Plan) {
    return html`${plan.sources
        .filter(({ skipped }) => skipped !== null)
        .map(
          ({ source, skipped }) =>
            html`<p class="notice warn">Could not read the ${source}: ${skipped}</p>`,
        )}
      <div class="sum">
        <p role="status">
          ${plan.updated === 0 ? 'No price changes.' : `${formatCount(plan.updated, 'price change')}.`}
          ${formatCount(plan.already_priced, 'model keeps its current price', 'models keep their current prices')}.
          ${formatCount(plan.unmatched, 'model is', 'models are')} not in the price lists.
        </p>
        ${
          plan.updated === 0
            ? nothing
            : html`<button
                type="button"
                class="primary"
                ?disabled=${this.busy}
                @click=${() => this.#ask(plan)}
              >
                Apply to ${formatCount(plan.updated, 'model')}
              </button>`
        }
      </div>
      ${
        plan.updated === 0
          ? nothing
          : html`<gw-table
              label="Price changes"
              noun="price"
              .columns=${columns}
              .rows=${plan.changes}
              .keyOf=${({ model_id }: PriceChange) => model_id}
            ></gw-table>`
      }
      ${plan.unmatched === 0 ? nothing : unmatched(plan)} ${plan.sources.map(unusedPrices)}`;
  }

  readonly #onInput = ({ detail: { name, value, checked } }: CustomEvent<FieldInput>): void => {
    const { source, overwrite } = this.options;
    this.options = {
      source:
        name === 'source' ? (sources.find((one) => one.value === value)?.value ?? source) : source,
      overwrite: name === 'overwrite' ? checked : overwrite,
    };
    // The preview belongs to other options.
    this.plan = null;
  };

  readonly #look = async (): Promise<void> => {
    const { options } = this;
    this.busy = true;
    this.failure = null;
    try {
      const { body } = await call('POST', '/admin/prices/sync', {
        body: { ...options, dry_run: true },
      });
      if (options === this.options) this.plan = body;
    } catch (error) {
      this.failure = asFailure(error);
    }
    this.busy = false;
  };

  #ask({ updated, changes, plan }: Plan): void {
    const { options } = this;
    const detail: Save = {
      heading: `Apply prices to ${formatCount(updated, 'model')}`,
      verb: 'Apply prices',
      done: 'Prices updated',
      ...priceDifference(changes),
      opens: theList,
      run: async (change) => {
        try {
          return await call('POST', '/admin/prices/sync', {
            body: { ...options, dry_run: false, plan },
            ...change,
          });
        } catch (error) {
          // The lists changed since the preview: load them again.
          if (asFailure(error).param === 'plan') void this.#look();
          throw error;
        }
      },
    };
    this.dispatchEvent(new CustomEvent('gw-review', { detail }));
  }
}

customElements.define('gw-price-sync', GwPriceSync);
