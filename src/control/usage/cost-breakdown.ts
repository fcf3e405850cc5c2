// Breaks the cost of single usage rows down by the prices that paid for it, before and after corrections.

import type { Queryable } from '@databases/pg';

import { correctionsOf } from '../../db/usage/ledger/ledger-rows.ts';
import type { CorrectedRow } from '../../db/usage/ledger/ledger-rows.ts';
import { rowCounts } from '../../usage/counts.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import { costOf, currencyOf } from '../../usage/price.ts';
import type { Prices } from '../../usage/price.ts';
import { timedPrices } from '../../usage/price-versions.ts';
import { PriceBook } from './ledger/price-book.ts';
import type { UncostedRow } from './usage-cost.ts';
import type { UsageRow } from './usage-reports.ts';

/**
 * Micro-units by price: those of `Cost.breakdown`, or `reported` for a cost that the provider
 * reported. They add up to the cost.
 */
export type Breakdown = Readonly<Record<string, number>>;

export type CorrectedCost = Readonly<{
  /** Null means unpriced. */
  cost_micros: number | null;
  currency: string;
  price_version: number | null;
  breakdown: Breakdown | null;
}>;

export type RowBreakdown = Readonly<{
  /** Null without a cost, and if the prices of the row are not known. */
  breakdown: Breakdown | null;
  /** The cost after all corrections. Null if there are none. */
  corrected: CorrectedCost | null;
}>;

type CostedRow = UncostedRow & Readonly<{ at: Date; cost_micros: number | null }>;

/** Null if the prices do not give this cost. */
export function breakdownOf(row: CostedRow, prices: Prices | null): Breakdown | null {
  const { cost_micros: cost, reported_cost_micros: reported } = row;
  if (cost === null) return null;
  if (row.cached) return {};
  if (reported !== null) return { reported };
  if (prices === null) return null;
  const { micros, breakdown } = costOf(rowCounts(row), timedPrices(prices, row.at.getTime()));
  return micros === cost ? breakdown : null;
}

/** In the order of the rows. */
export async function breakDownRows(
  db: Queryable,
  rows: readonly UsageRow[],
): Promise<readonly RowBreakdown[]> {
  const book = new PriceBook();
  await book.load(db, rows);
  const places = rows.map(({ id, at }) => ({ id, at: at.toISOString() }));
  const corrections = new Map(
    (await correctionsOf(db, places))
      .filter((one) => one.is_last)
      .map((one) => [one.usage_id, one]),
  );
  const pricesOf = (row: UsageRow, version: number | null): Prices | null =>
    version === null ? null : book.version(row.model_id, version);
  return rows.map((row) => {
    const last = corrections.get(row.id);
    return {
      breakdown: breakdownOf(row, pricesOf(row, row.price_version)),
      corrected:
        last === undefined ? null : correctedCost(row, last, pricesOf(row, last.price_version)),
    };
  });
}

/** A correction in several currencies names the same cost and prices in each. */
function correctedCost(
  row: UsageRow,
  { cost_micros, price_version }: CorrectedRow,
  prices: Prices | null,
): CorrectedCost {
  const currency = prices === null ? (row.currency ?? defaultCurrency) : currencyOf(prices);
  const breakdown = breakdownOf({ ...row, cost_micros }, prices);
  return { cost_micros, currency, price_version, breakdown };
}
