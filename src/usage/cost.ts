// Estimates the cost of a request before it is sent (specification, "Condition fields": request cost). The actual cost is
// computed at ingest.

/** Micro-units of the quoted currency per million tokens. Null means no price. */
type Prices = Readonly<{ input: number | null; output: number | null }>;
type Tokens = Readonly<{ prompt: number; completion: number }>;

const million = 1_000_000;

/**
 * Returns rounded micro-units, or null when a side that is used has no price. A side without tokens needs no price:
 * an embedding has no completion.
 */
export function estimateCostMicros(prices: Prices, tokens: Tokens): number | null {
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
