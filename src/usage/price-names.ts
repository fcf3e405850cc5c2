// Names the prices of a price card. Plain data: the schema of cards and the form of the UI follow
// from it.

import { cachedCounts, tokenParts, unitCounts } from './counts.ts';
import type { CachedCount, TokenPart, UnitCount } from './counts.ts';

/** The prices per million tokens that only a card has, one for each part of the totals. */
export type PartPrice = TokenPart['kind'];
/** The base prices pay for all tokens of a side that no price of a part pays for. */
export type BasePrice = 'input' | 'output';
/** The prices of some cache reads. Without one, they have the price of the others. */
export type CachedPrice = CachedCount['kind'];
/** The prices that can replace a price that a card does not have. */
export type FallbackPrice = BasePrice | PartPrice;
export type TokenPrice = FallbackPrice | CachedPrice;

type Named<Name> = Readonly<{ name: Name; label: string }>;

export const partPrices: readonly Named<PartPrice>[] = tokenParts.map(({ kind, label }) => ({
  name: kind,
  label,
}));
export const cachedPrices: readonly Named<CachedPrice>[] = cachedCounts.map(({ kind, label }) => ({
  name: kind,
  label,
}));
export const fallbackPrices: readonly Named<FallbackPrice>[] = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  ...partPrices,
];
export const tokenPrices: readonly Named<TokenPrice>[] = [...fallbackPrices, ...cachedPrices];

export type UnitPrice = 'per_request' | UnitCount['price'];

type UnitPriceName = Named<UnitPrice> & Readonly<{ pays: 'request' | UnitCount['pays'] }>;

/** Prices that do not depend on tokens, and what each pays for. */
export const unitPrices: readonly UnitPriceName[] = [
  { name: 'per_request', label: 'Each request', pays: 'request' },
  ...unitCounts.map(({ price, priceLabel, pays }) => ({ name: price, label: priceLabel, pays })),
];

/** A tool or service tier, as providers report it. */
export const reportedName = {
  pattern: /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
  must: 'must be a name of up to 64 letters, digits, dots, hyphens and underscores',
};
