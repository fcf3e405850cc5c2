// Defines what a price list has for a model: two base prices and a price card with everything else.

import type { PriceCard } from '../../usage/price-card.ts';

/** Micro-units per million tokens. A null price is not listed; a null card adds nothing. */
export type ListedPrice = Readonly<{
  inputPricePerMtok: number | null;
  outputPricePerMtok: number | null;
  priceCard: PriceCard | null;
}>;

/** A key of a list that is not used. A null reason means that gw does not know the key. */
export type UnusedKey = Readonly<{ key: string; reason: string | null }>;

/** The content of an entry of a list about the price of its model. */
export type ListedEntry = Readonly<{
  /** Null if the entry has no price that gw can use. */
  price: ListedPrice | null;
  /** Percentages of the token prices at addresses of a region. */
  regions?: ReadonlyMap<string, number>;
  unused: readonly UnusedKey[];
  /** True if a price is invalid: negative, not a number, or too large. `price` is then null. */
  isNonsense: boolean;
}>;
