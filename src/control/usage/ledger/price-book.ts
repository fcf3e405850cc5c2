// Finds the prices of a version of a model's price card, from the log, and computes what a row costs with them.

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../../events/catalogue.ts';
import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import { pricesSet } from '../../../db/usage/ledger/price-versions.ts';
import type { Prices } from '../../../usage/price.ts';
import { pricesAt, withPrices } from '../../../usage/price-versions.ts';
import type { PriceVersion } from '../../../usage/price-versions.ts';
import { rowCost } from '../usage-cost.ts';
import type { RowCost } from '../usage-cost.ts';

type ModelPrices = Readonly<{
  /** Version 1 first. */
  all: readonly PriceVersion[];
  /** Those that apply at some time, in the order of their start. */
  applying: readonly PriceVersion[];
}>;

/** The number of models whose prices are kept in memory. */
const modelsMax = 10_000;

const noPrices: ModelPrices = { all: [], applying: [] };

/** Each model is read once, when it is first needed. */
export class PriceBook {
  readonly #models = new Map<number, ModelPrices>();

  async load(db: Queryable, rows: readonly Pick<LedgerRow, 'model_id'>[]): Promise<void> {
    const ids = new Set(rows.flatMap(({ model_id: id }) => (id === null ? [] : [id])));
    if (this.#models.size + ids.size > modelsMax) this.#models.clear();
    const unknown = [...ids].filter((id) => !this.#models.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) this.#models.set(id, noPrices);
    const set = await pricesSet(
      db,
      unknown.map((id) => streamOf('model', id)),
    );
    for (const { data, atMs } of set) {
      const { all, applying } = this.#models.get(data.id) ?? noPrices;
      const prices: Prices = {
        input: data.input_price_per_mtok,
        output: data.output_price_per_mtok,
        card: data.price_card ?? null,
      };
      const next = withPrices(applying, prices, atMs);
      const version = { version: all.length + 1, fromMs: next.at(-1)?.fromMs ?? atMs, ...prices };
      this.#models.set(data.id, { all: [...all, version], applying: next });
    }
  }

  version(modelId: number | null, version: number): PriceVersion | null {
    return this.#pricesOf(modelId).all[version - 1] ?? null;
  }

  /** The prices at this time. If all are scheduled for later, the newest. */
  at(modelId: number | null, atMs: number): PriceVersion | null {
    const { applying } = this.#pricesOf(modelId);
    return pricesAt(applying, atMs) ?? applying.at(-1) ?? null;
  }

  #pricesOf(modelId: number | null): ModelPrices {
    return (modelId === null ? undefined : this.#models.get(modelId)) ?? noPrices;
  }
}

/** Null prices are those of a model that has none. */
export const costOfRow = (row: LedgerRow, prices: PriceVersion | null): RowCost =>
  rowCost(row, prices === null ? [] : [{ ...prices, fromMs: 0 }], 0);

/** False for answers of the cache, for costs that the provider reported, and without counts. */
export const isPricedByCard = (row: LedgerRow): boolean =>
  (row.usage_reported || row.usage_estimated) && !row.cached && row.reported_cost_micros === null;
