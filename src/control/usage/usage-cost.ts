// Computes the cost of a request, once at ingest (Gateway rule 16): the provider's figure, else the
// configured price, rounded to micro-units. Null if neither is known. Null means unpriced, not
// free.

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
  // A cached answer costs nothing, whatever the model's price.
  if (event.cached) return 0;
  if (event.reported_cost_micros !== null) return event.reported_cost_micros;
  return event.usage_reported ? pricedMicros(event, prices) : null;
}

/**
 * The charge of a row with estimated counts to a budget of money. Null for other rows and without a
 * price.
 */
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
  // Products of counts and prices exceed the integers that a double represents exactly.
  const rounded = (prompt + completion + million / 2n) / million;
  return rounded <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(rounded) : null;
}

const isUnpriced = ({ inputPricePerMtok, outputPricePerMtok }: Prices): boolean =>
  inputPricePerMtok === null && outputPricePerMtok === null;

/**
 * A direction without a price is ignored if it was not used: embeddings have no completion tokens.
 */
function priced(tokens: number, price: number | null): bigint | null {
  if (price === null) return tokens === 0 ? 0n : null;
  return BigInt(tokens) * BigInt(price);
}
