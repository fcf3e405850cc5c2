// Prices as public lists have them: looked up, shown beside those that stand, and then published or left.

import { LitElement, css, html, nothing } from 'lit';

import { asFailure } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { syncPrices } from '../../api/prices.ts';
import type { AnswerOf } from '../../api/routes.ts';
import '../../elements/error.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/money.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import { formatCount } from '../../lib/format.ts';
import '../../parts/save.ts';
import type { Save } from '../../parts/save.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

type Plan = AnswerOf<'POST', '/admin/prices/sync'>;
type PriceChange = Plan['changes'][number];
type Source = 'both' | 'aggregator' | 'catalogue';

const sources: readonly Readonly<{ value: Source; label: string }>[] = [
  { value: 'both', label: 'Both, the aggregator first' },
  { value: 'aggregator', label: 'The aggregator' },
  { value: 'catalogue', label: 'The catalogue' },
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
  priceColumn('old_input_price_per_mtok', 'Input now'),
  priceColumn('input_price_per_mtok', 'Input then'),
  priceColumn('old_output_price_per_mtok', 'Output now'),
  priceColumn('output_price_per_mtok', 'Output then'),
  { id: 'source', label: 'Source', value: ({ source }) => source },
  {
    id: 'found_as',
    label: 'Found as',
    value: ({ found_as }) => found_as,
    cell: ({ found_as }) => html`<code>${found_as}</code>`,
  },
];

/** Tells by `gw-priced` when prices were published. */
export class GwPriceSync extends LitElement {
  static override properties = {
    source: { state: true },
    overwrite: { state: true },
    plan: { state: true },
    busy: { state: true },
    failure: { state: true },
    save: { state: true },
  };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .wish {
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

      .wish gw-field[name='source'] {
        width: 15rem;
      }

      .wish gw-field[name='overwrite'] {
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
  declare source: Source;
  declare overwrite: boolean;
  /** What would be changed; null until it was looked up. */
  declare plan: Plan | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare save: Save | null;

  constructor() {
    super();
    this.source = 'both';
    this.overwrite = false;
    this.plan = null;
    this.busy = false;
    this.failure = null;
    this.save = null;
  }

  protected override render() {
    return html`<div class="wish" @gw-input=${this.#onInput}>
        <gw-field
          name="source"
          label="Where to look"
          type="select"
          required
          .choices=${sources}
          .value=${this.source}
        ></gw-field>
        <gw-field
          name="overwrite"
          label="Replace prices that stand"
          type="checkbox"
          .checked=${this.overwrite}
        ></gw-field>
        <button type="button" ?disabled=${this.busy} @click=${this.#look}>
          ${this.busy ? 'Looking up …' : 'Look up prices'}
        </button>
      </div>
      <gw-error retriable .failure=${this.failure} @gw-retry=${this.#look}></gw-error>
      ${this.plan === null ? this.#beforehand() : this.#planned(this.plan)}
      <gw-save .save=${this.save} @gw-close=${() => (this.save = null)} @gw-saved=${this.#onSaved}
        ><p>
          The sources are read once more; what is published is what they have then. Requests that
          were made before keep the cost that they were recorded with.
        </p></gw-save
      >`;
  }

  #beforehand() {
    return html`<p class="quiet">
      Nothing is changed by looking. The same by a command: <code>gw sync-prices --dry-run</code>
    </p>`;
  }

  #planned(plan: Plan) {
    return html`${plan.sources
        .filter(({ skipped }) => skipped !== null)
        .map(
          ({ source, skipped }) =>
            html`<p class="notice warn">The ${source} could not be read: ${skipped}</p>`,
        )}
      <div class="sum">
        <p role="status">
          ${formatCount(plan.updated, 'model')} would get another price;
          ${formatCount(plan.already_priced, 'model keeps its', 'models keep their')} own, and
          ${formatCount(plan.unmatched, 'model is', 'models are')} in no list.
        </p>
        <button
          type="button"
          class="primary"
          ?disabled=${plan.updated === 0 || this.busy}
          @click=${() => this.#ask(plan)}
        >
          Apply to ${formatCount(plan.updated, 'model')}
        </button>
      </div>
      ${
        plan.updated === 0
          ? nothing
          : html`<gw-table
              label="Prices that would change"
              noun="price"
              .columns=${columns}
              .rows=${plan.changes}
              .keyOf=${({ model_id }: PriceChange) => model_id}
            ></gw-table>`
      }
      ${plan.unmatched === 0 ? nothing : this.#unmatched(plan)}`;
  }

  #unmatched({ unmatched_models: models }: Plan) {
    return html`<details>
      <summary>${formatCount(models.length, 'model')} in no list</summary>
      <ul>
        ${models.map(
          ({ model, upstream_model }) =>
            html`<li>
              <code>${model}</code>
              <span class="quiet"
                >${upstream_model === null ? 'no provider' : `looked up as ${upstream_model}`}</span
              >
            </li>`,
        )}
      </ul>
    </details>`;
  }

  readonly #onInput = ({ detail: { name, value, checked } }: CustomEvent<FieldInput>): void => {
    if (name === 'overwrite') this.overwrite = checked;
    const source = sources.find((one) => one.value === value)?.value;
    if (name === 'source' && source !== undefined) this.source = source;
    // What is shown is of another wish.
    this.plan = null;
  };

  readonly #look = async (): Promise<void> => {
    const { source, overwrite } = this;
    this.busy = true;
    this.failure = null;
    try {
      const { body } = await syncPrices({ source, overwrite, dry_run: true });
      if (source === this.source && overwrite === this.overwrite) this.plan = body;
    } catch (error) {
      this.failure = asFailure(error);
    }
    this.busy = false;
  };

  #ask({ updated }: Plan): void {
    const { source, overwrite } = this;
    this.save = {
      heading: `Apply prices to ${formatCount(updated, 'model')}`,
      verb: 'Publish prices',
      done: 'Prices published',
      before: null,
      after: null,
      run: (change) => syncPrices({ source, overwrite, dry_run: false }, change),
    };
  }

  readonly #onSaved = (): void => {
    this.save = null;
    this.plan = null;
    this.dispatchEvent(new CustomEvent('gw-priced'));
  };
}

customElements.define('gw-price-sync', GwPriceSync);

declare global {
  interface HTMLElementTagNameMap {
    'gw-price-sync': GwPriceSync;
  }
}
