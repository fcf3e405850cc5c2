// Computes what past usage would have cost with other prices, and changes nothing.

import type { ConfigState } from '../../../../projections/config/state.ts';
import type { Database } from '../../../db/pool.ts';
import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { cachedCounts } from '../../../usage/counts.ts';
import type { Prices } from '../../../usage/price.ts';
import type { PriceVersion } from '../../../usage/price-versions.ts';
import type { RowCost } from '../usage-cost.ts';
import { costOfRow, PriceBook } from './price-book.ts';
import {
  correctedAmounts,
  correctedCost,
  exactSum,
  modelNamed,
  pricedSpan,
  unknownModel,
  visitPricedPages,
} from './priced-pages.ts';
import type { PricedRow, SpanAsked } from './priced-pages.ts';

/**
 * The present prices of each model; a version of the prices of a model, null meaning the present
 * one; or prices that no model needs to have. `uncached` bills the cached tokens of each row at the
 * base price that the row has.
 */
export type WhatIfPrices =
  | 'current'
  | 'uncached'
  | Readonly<{ model: string; version: number | null }>
  | Readonly<{ given: Prices }>;

export type WhatIfAsked = SpanAsked & Readonly<{ prices: WhatIfPrices }>;

type Amounts = Readonly<{
  bookedMicros: number;
  correctedMicros: number;
  /** The cost of the same rows with the other prices. */
  whatIfMicros: number;
  /** The cost of rows that are unpriced now. */
  newlyPricedMicros: number;
}>;

export type WhatIfCost = Readonly<{
  rows: number;
  /** Rows that the other prices do not cover. They are in no amount. */
  unpricedRows: number;
  /** Rows that are unpriced now, and that the other prices cover. */
  newlyPricedRows: number;
  costs: readonly (Amounts & Readonly<{ currency: string }>)[];
}>;

export type UsageWhatIf = (
  asked: WhatIfAsked,
  signal: AbortSignal,
) => Promise<WhatIfCost | Refusal>;

type Dependencies = Readonly<{ db: Database; state: () => ConfigState; clock: Clock }>;

/** One at a time for each process, because it can read many rows. */
export function createUsageWhatIf(dependencies: Dependencies): UsageWhatIf {
  let isRunning = false;
  return async (asked, signal) => {
    if (isRunning) return alreadyRunning;
    isRunning = true;
    try {
      return await compute(dependencies, asked, signal);
    } finally {
      isRunning = false;
    }
  };
}

const alreadyRunning = refuse('too_many', 'costs are already being computed; wait for the end', {
  retryAfterSeconds: 5,
});

const stopped = refuse('unavailable', 'the computation was stopped; retry', {
  retryAfterSeconds: 1,
});

async function compute(
  { db, state, clock }: Dependencies,
  asked: WhatIfAsked,
  signal: AbortSignal,
): Promise<WhatIfCost | Refusal> {
  const span = pricedSpan(asked, state());
  if (isRefusal(span)) return span;
  const book = new PriceBook();
  const nowMs = clock();
  const fixed = await fixedPrices({ db, state }, asked.prices, { book, nowMs });
  if (isRefusal(fixed)) return fixed;
  const costOf = ({ row, held }: PricedRow): RowCost => {
    const { model_id: id } = row;
    if (asked.prices !== 'uncached') return costOfRow(row, fixed ?? book.at(id, nowMs));
    const version = held.find((one) => one.is_last)?.price_version ?? row.price_version;
    const own = version === null ? null : book.version(id, version);
    return costOfRow(uncached(row), own);
  };
  const sums = new Sums();
  const refusal = await visitPricedPages(db, span, async (page) => {
    if (signal.aborted) return stopped;
    const rows = page.map(({ row }) => row);
    if (fixed === null) await book.load(db, rows);
    for (const priced of page) sums.add(priced, costOf(priced));
    return null;
  });
  return refusal ?? sums.result();
}

function uncached(row: LedgerRow): LedgerRow {
  const counts = { ...row, cache_read_tokens: null };
  for (const { name, otherwise } of cachedCounts) {
    const tokens = row.units?.[name] ?? 0;
    if (otherwise !== null && tokens > 0) counts[otherwise] = (counts[otherwise] ?? 0) + tokens;
  }
  return counts;
}

/** Null if each model has its own prices. */
async function fixedPrices(
  { db, state }: Pick<Dependencies, 'db' | 'state'>,
  prices: WhatIfPrices,
  { book, nowMs }: Readonly<{ book: PriceBook; nowMs: number }>,
): Promise<PriceVersion | null | Refusal> {
  if (prices === 'current' || prices === 'uncached') return null;
  if ('given' in prices) return { version: 0, fromMs: 0, ...prices.given };
  const { model, version } = prices;
  const id = modelNamed(state(), model);
  if (id === null) return unknownModel(model, 'card_of');
  await book.load(db, [{ model_id: id }]);
  const found = version === null ? book.at(id, nowMs) : book.version(id, version);
  if (found !== null) return found;
  const what = version === null ? 'prices' : `version ${version} of its prices`;
  return refuse('invalid', `card: model ${model} has no ${what}`, { param: 'card' });
}

type MutableAmounts = { -readonly [Name in keyof Amounts]: Amounts[Name] };

class Sums {
  #rows = 0;
  #unpricedRows = 0;
  #newlyPricedRows = 0;
  readonly #byCurrency = new Map<string, MutableAmounts>();

  add(priced: PricedRow, { cost_micros: micros, currency }: RowCost): void {
    this.#rows++;
    const { row } = priced;
    if (micros === null) this.#unpricedRows++;
    else if (correctedCost(priced) === null) {
      this.#newlyPricedRows++;
      this.#sum(currency, 'newlyPricedMicros', micros);
    } else {
      this.#sum(currency, 'whatIfMicros', micros);
      this.#sum(row.currency, 'bookedMicros', row.cost_micros ?? 0);
      for (const [one, amount] of correctedAmounts(priced)) {
        this.#sum(one, 'correctedMicros', amount);
      }
    }
  }

  result(): WhatIfCost {
    return {
      rows: this.#rows,
      unpricedRows: this.#unpricedRows,
      newlyPricedRows: this.#newlyPricedRows,
      costs: [...this.#byCurrency].map(([currency, amounts]) =>
        Object.assign({ currency }, amounts),
      ),
    };
  }

  #sum(currency: string, name: keyof Amounts, micros: number): void {
    const held = this.#byCurrency.get(currency) ?? {
      bookedMicros: 0,
      correctedMicros: 0,
      whatIfMicros: 0,
      newlyPricedMicros: 0,
    };
    held[name] = exactSum(held[name] + micros);
    this.#byCurrency.set(currency, held);
  }
}
