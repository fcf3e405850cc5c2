// What a request would cost at a price, before it is sent (specification, "Condition fields":
// request cost). What it did cost is decided at ingest.

/** Micro-units of the quoted currency per million tokens; null is unpriced. */
type Prices = Readonly<{ input: number | null; output: number | null }>;
type Tokens = Readonly<{ prompt: number; completion: number }>;

const million = 1_000_000;

/**
 * Micro-units, rounded; null when a side that is used has no price. A side of which nothing is used
 * needs none: an embedding has no completion.
 */
export function estimateCostMicros(prices: Prices, tokens: Tokens): number | null {
  if (prices.input === null && prices.output === null) return null;
  const prompt = priced(tokens.prompt, prices.input);
  const completion = priced(tokens.completion, prices.output);
  if (prompt === null || completion === null) return null;
  const sum = prompt + completion + million / 2;
  // The remainder is exact where a quotient would be rounded up to the next whole.
  return (sum - (sum % million)) / million;
}

function priced(tokens: number, price: number | null): number | null {
  if (tokens === 0) return 0;
  return price === null ? null : tokens * price;
}
