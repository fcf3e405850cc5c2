// Names the prices of a price card. Plain data: the schema of cards and the form of the UI follow
// from it.

import { tokenParts } from './counts.ts';
import type { TokenPart } from './counts.ts';

/** The prices per million tokens that only a card has, one for each part of the totals. */
export type PartPrice = TokenPart['kind'];
/** The base prices pay for all tokens of a side that no price of a part pays for. */
export type BasePrice = 'input' | 'output';
export type TokenPrice = BasePrice | PartPrice;

type Named<Name> = Readonly<{ name: Name; label: string }>;

export const partPrices: readonly Named<PartPrice>[] = tokenParts.map(({ kind, label }) => ({
  name: kind,
  label,
}));
export const tokenPrices: readonly Named<TokenPrice>[] = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  ...partPrices,
];

/** Prices in micro-units that do not depend on tokens. */
export const unitPrices = [{ name: 'per_request', label: 'Each request' }] as const;
export type UnitPrice = (typeof unitPrices)[number]['name'];

/** A tool or service tier, as providers report it. */
export const reportedName = {
  pattern: /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
  must: 'must be a name of up to 64 letters, digits, dots, hyphens and underscores',
};
