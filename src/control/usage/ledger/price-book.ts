// Finds the prices of a version of a model's price card, from the log, and computes what a row costs with them.

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../../events/catalogue.ts';
import type { ModelEvent } from '../../../../events/model.ts';
import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import { pricesSet } from '../../../db/usage/ledger/price-versions.ts';
import type { Prices } from '../../../usage/price.ts';
import { pricesAt, withPrices } from '../../../usage/price-versions.ts';
import type { PriceVersion } from '../../../usage/price-versions.ts';
import { rowCost } from '../usage-cost.ts';
import type { RowCost } from '../usage-cost.ts';

type ModelPrices = {
  readonly byVersion: Map<number, PriceVersion>;
  /** Those that apply at some time, in the order of their start. */
  applying: readonly PriceVersion[];
  /** The number before that of the first prices since the model was created or restored. */
  after: number;
};

/** The number of models whose prices are kept in memory. */
const modelsMax = 10_000;

const noPrices = (): ModelPrices => ({ byVersion: new Map(), applying: [], after: 0 });

/** Each model is read once, when it is first needed. */
export class PriceBook {
  readonly #models = new Map<number, ModelPrices>();

  async load(db: Queryable, rows: readonly Pick<LedgerRow, 'model_id'>[]): Promise<void> {
    const ids = new Set(rows.flatMap(({ model_id: id }) => (id === null ? [] : [id])));
    if (this.#models.size + ids.size > modelsMax) this.#models.clear();
    const unknown = [...ids].filter((id) => !this.#models.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) this.#models.set(id, noPrices());
    const set = await pricesSet(
      db,
      unknown.map((id) => streamOf('model', id)),
    );
    for (const { event, version, atMs } of set) {
      const held = this.#models.get(event.data.id);
      if (held === undefined) continue;
      if (event.type === 'ModelPriced') addPrices(held, event.data, atMs);
      else {
        held.applying = [];
        held.after = version - 1;
      }
    }
  }

  version(modelId: number | null, version: number): PriceVersion | null {
    return this.#pricesOf(modelId)?.byVersion.get(version) ?? null;
  }

  at(modelId: number | null, atMs: number): PriceVersion | null {
    return pricesAt(this.#pricesOf(modelId)?.applying ?? [], atMs);
  }

  #pricesOf(modelId: number | null): ModelPrices | undefined {
    return modelId === null ? undefined : this.#models.get(modelId);
  }
}

type Priced = Extract<ModelEvent, { type: 'ModelPriced' }>['data'];

function addPrices(held: ModelPrices, data: Priced, setAtMs: number): void {
  held.applying = withPrices(held.applying, pricesOf(data), { setAtMs, after: held.after });
  for (const one of held.applying) held.byVersion.set(one.version, one);
}

export const pricesOf = (data: Priced): Prices => ({
  input: data.input_price_per_mtok,
  output: data.output_price_per_mtok,
  card: data.price_card ?? null,
});

/** Null prices are those of a model that has none. */
export const costOfRow = (row: LedgerRow, prices: PriceVersion | null): RowCost =>
  rowCost(row, prices === null ? [] : [{ ...prices, fromMs: 0 }], Date.parse(row.at));

/** False for answers of the cache, for costs that the provider reported, and without counts. */
export const isPricedByCard = (row: LedgerRow): boolean =>
  (row.usage_reported || row.usage_estimated) && !row.cached && row.reported_cost_micros === null;
