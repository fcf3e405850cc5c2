// Estimates the cost of a request before it is sent (specification, "Condition fields": request
// cost), and what its counts add to a budget of money. The actual cost is computed at ingest.

import { totalsOnly } from './counts.ts';
import type { UsageCounts } from './counts.ts';
import { costOf } from './price.ts';
import type { Prices } from './price.ts';

type Tokens = Readonly<{ prompt: number; completion: number }>;

const million = 1_000_000;

/**
 * Returns rounded micro-units. Null without prices, or if a price that is used is missing. A side
 * without tokens needs no price: an embedding has no completion.
 */
export function estimateCostMicros(prices: Prices | null, tokens: Tokens): number | null {
  if (prices === null) return null;
  if (prices.card !== null) {
    const { prompt: promptTokens, completion: completionTokens } = tokens;
    return costOf(totalsOnly({ promptTokens, completionTokens }), prices).micros;
  }
  // Runs for each rule of a request. Doubles are enough for the totals.
  if (prices.input === null && prices.output === null) return null;
  const prompt = priced(tokens.prompt, prices.input);
  const completion = priced(tokens.completion, prices.output);
  if (prompt === null || completion === null) return null;
  const sum = prompt + completion + million / 2;
  // The remainder is exact, whereas a quotient could be rounded up.
  return (sum - (sum % million)) / million;
}

function priced(tokens: number, price: number | null): number | null {
  if (tokens === 0) return 0;
  return price === null ? null : tokens * price;
}

/** Doubles are exact up to this cost, because the sum before the division is a safe integer. */
const exactMicrosMax = 9_000_000_000;

/**
 * The charge to a budget of money. Counts without a price on the card are charged at the base
 * prices, so that a client cannot spend past its budget by a service that has no price.
 */
export function chargeMicros(counts: UsageCounts, prices: Prices | null): number | null {
  if (prices === null) return null;
  if (prices.card === null) {
    const { promptTokens: prompt, completionTokens: completion } = counts;
    const micros = estimateCostMicros(prices, { prompt, completion });
    if (micros === null || micros < exactMicrosMax) return micros;
  }
  return costOf(counts, prices).micros ?? costOf(counts, { ...prices, card: null }).micros;
}
