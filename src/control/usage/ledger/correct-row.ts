// Computes the corrections that bring the cost of a row to that of other prices. Applying the same prices again gives none.

import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import type { Correction } from '../../../db/usage/ledger/reprices.ts';
import type { PriceVersion } from '../../../usage/price-versions.ts';
import { costOfRow } from './price-book.ts';
import { correctedAmounts, correctedCost } from './priced-pages.ts';
import type { PricedRow } from './priced-pages.ts';

/** A version of the model's prices, those in effect now, or those that the row was booked with. */
export type RepriceCard = number | 'current' | 'booked';

type Wanted = Readonly<{
  micros: number | null;
  estimatedMicros: number;
  currency: string;
  version: number | null;
}>;

type Given = Readonly<{
  card: RepriceCard;
  prices: PriceVersion | null;
}>;

/** Null if the prices do not cover the row, so that its cost stays as it is. */
export function correctionsFor(
  priced: PricedRow,
  { card, prices }: Given,
): readonly Correction[] | null {
  const { row, held } = priced;
  const wanted = card === 'booked' ? bookedOf(row) : pricedBy(row, prices);
  const isUncovered = wanted.micros === null && row.cost_micros !== null;
  if (isUncovered) return null;
  const amounts = correctedAmounts(priced);
  if (!amounts.has(wanted.currency)) amounts.set(wanted.currency, 0);
  const isSame = correctedCost(priced) === wanted.micros;
  const heldEstimate = held.reduce(
    (sum, one) => sum + one.estimated_delta_micros,
    row.estimated_cost_micros ?? 0,
  );
  return [...amounts].flatMap(([currency, amount]) => {
    const target = currency === wanted.currency ? (wanted.micros ?? 0) : 0;
    const deltaMicros = target - amount;
    const isRowCurrency = currency === row.currency;
    const estimatedDeltaMicros = isRowCurrency ? wanted.estimatedMicros - heldEstimate : 0;
    const isPriced = currency === wanted.currency && wanted.micros !== null;
    const priced = Number(isPriced) - pricesIn(currency, { row, held });
    const isNothing = deltaMicros === 0 && estimatedDeltaMicros === 0 && priced === 0;
    if (isNothing && (isSame || currency !== wanted.currency)) return [];
    const { id: usageId, at } = row;
    const after = { costMicros: wanted.micros, priceVersion: wanted.version };
    return [{ usageId, at, currency, deltaMicros, estimatedDeltaMicros, priced, ...after }];
  });
}

/** 1 if the row has a price in this currency, otherwise 0. */
function pricesIn(currency: string, { row, held }: PricedRow): number {
  const isBooked = currency === row.currency && row.cost_micros !== null;
  const own = held.find((one) => one.currency === currency);
  return Number(isBooked) + (own?.priced ?? 0);
}

const bookedOf = (row: LedgerRow): Wanted => ({
  micros: row.cost_micros,
  estimatedMicros: row.estimated_cost_micros ?? 0,
  currency: row.currency,
  version: row.price_version,
});

/** A row with a cost has no estimate. Without one, the budget keeps the estimate that it was charged. */
function pricedBy(row: LedgerRow, prices: PriceVersion | null): Wanted {
  const { cost_micros: micros, currency } = costOfRow(row, prices);
  if (micros === null) return { ...bookedOf(row), micros };
  return { micros, estimatedMicros: 0, currency, version: prices?.version ?? null };
}
