// Computes the cost of a request, once at ingest (Gateway rule 16): the provider's figure, else the
// prices of the model at the time of the request. Null means unpriced, not free.

import { chargeMicros } from '../../usage/cost.ts';
import { rowCounts } from '../../usage/counts.ts';
import type { CountedRow } from '../../usage/counts.ts';
import { costOf, currencyOf } from '../../usage/price.ts';
import { pricesAt } from '../../usage/price-versions.ts';
import type { PriceVersion } from '../../usage/price-versions.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';

/** A row before it has a cost. */
export type UncostedRow = CountedRow &
  Pick<UsageEvent, 'cached' | 'usage_reported' | 'usage_estimated' | 'reported_cost_micros'>;

export type RowCost = Readonly<{
  cost_micros: number | null;
  /** The charge to a budget of money, if the cost is not known but its counts are. */
  estimated_cost_micros: number | null;
  /** ISO 4217. The currency of the model's prices. */
  currency: string;
  /** The version of the prices. Null if they were not used. */
  price_version: number | null;
}>;

/** `versions` are those of the model; none if it was deleted. */
export function rowCost(
  row: UncostedRow,
  versions: readonly PriceVersion[],
  atMs: number,
): RowCost {
  const prices = pricesAt(versions, atMs);
  const currency = currencyOf(prices);
  const known = { estimated_cost_micros: null, currency, price_version: null };
  // A cached answer costs nothing, at any price.
  if (row.cached) return { ...known, cost_micros: 0 };
  if (row.reported_cost_micros !== null) return { ...known, cost_micros: row.reported_cost_micros };
  if (prices === null) return { ...known, cost_micros: null };
  const counts = rowCounts(row);
  const cost_micros = row.usage_reported ? costOf(counts, prices).micros : null;
  const isCharged = cost_micros === null && (row.usage_reported || row.usage_estimated);
  return {
    cost_micros,
    estimated_cost_micros: isCharged ? chargeMicros(counts, prices) : null,
    currency,
    price_version: prices.version,
  };
}
