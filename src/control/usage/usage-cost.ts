// What a request cost, decided once at ingest and stored (Gateway rule 16): the provider's own figure, else the configured
// price, rounded to micro-units; null when neither is known. Null is unpriced, never nothing.

import type { UsageEvent } from '../../usage/usage-event.ts';

export type Prices = Readonly<{
  inputPricePerMtok: number | null;
  outputPricePerMtok: number | null;
}>;

type Counts = Pick<
  UsageEvent,
  'cached' | 'usage_reported' | 'reported_cost_micros' | 'prompt_tokens' | 'completion_tokens'
>;

const million = 1_000_000n;

export function costMicros(event: Counts, prices: Prices | null): number | null {
  // An answer from the cache cost nothing, whatever the model's price.
  if (event.cached) return 0;
  if (event.reported_cost_micros !== null) return event.reported_cost_micros;
  return event.usage_reported ? pricedMicros(event, prices) : null;
}

/** What a budget of money is charged for a row whose counts are estimates; null for any other, and without a price. */
export const estimatedCostMicros = (
  event: Counts & Pick<UsageEvent, 'usage_estimated'>,
  prices: Prices | null,
): number | null => {
  const isCharged = event.usage_estimated && !event.usage_reported && !event.cached;
  return isCharged && event.reported_cost_micros === null ? pricedMicros(event, prices) : null;
};

function pricedMicros(
  event: Pick<Counts, 'prompt_tokens' | 'completion_tokens'>,
  prices: Prices | null,
): number | null {
  if (prices === null || isUnpriced(prices)) return null;
  const prompt = priced(event.prompt_tokens, prices.inputPricePerMtok);
  const completion = priced(event.completion_tokens, prices.outputPricePerMtok);
  if (prompt === null || completion === null) return null;
  // Products of counts and prices leave the integers that a double holds exactly.
  const rounded = (prompt + completion + million / 2n) / million;
  return rounded <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(rounded) : null;
}

const isUnpriced = ({ inputPricePerMtok, outputPricePerMtok }: Prices): boolean =>
  inputPricePerMtok === null && outputPricePerMtok === null;

/** A side without a price is no obstacle while nothing was used of it: an embedding has no completion. */
function priced(tokens: number, price: number | null): bigint | null {
  if (price === null) return tokens === 0 ? 0n : null;
  return BigInt(tokens) * BigInt(price);
}
