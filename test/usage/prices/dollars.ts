// Writes prices as vendors publish them: in dollars per million tokens, and per call.

import type {
  ContextTier,
  PriceCard,
  PriceSet,
  ServiceTier,
} from '../../../src/usage/price-card.ts';
import type { Prices } from '../../../src/usage/price.ts';
import type { UsageCounts } from '../../../src/usage/counts.ts';

export type Example = Readonly<{
  name: string;
  prices: Prices;
  counts: Partial<UsageCounts>;
  /** The expected cost, in millionths of a dollar. */
  micros: number;
}>;

/** Dollars per million tokens as micro-units. */
export const usd = (dollars: number): number => Math.round(dollars * 1_000_000);

export const set = (dollars: PriceSet): PriceSet =>
  Object.fromEntries(Object.entries(dollars).map(([name, price = 0]) => [name, usd(price)]));

/** The prices above a number of prompt tokens. */
export const above = (tokens: number, dollars: PriceSet): ContextTier => ({
  above_tokens: tokens,
  ...set(dollars),
});

type More = Omit<PriceCard, keyof PriceSet>;

/** A model with a card. `more` is in micro-units, as cards are. */
export function card({ input, output, ...parts }: PriceSet, more: More = {}): Prices {
  return { ...base(input, output), card: { ...set(parts), ...more } };
}

/** A model with the two base prices only. */
export const plain = (input: number, output?: number): Prices => ({
  ...base(input, output),
  card: null,
});

const base = (input: number | undefined, output: number | undefined) => ({
  input: input === undefined ? null : usd(input),
  output: output === undefined ? null : usd(output),
});

export const half: ServiceTier = { percent: 50 };
