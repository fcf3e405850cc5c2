// Keeps the prices of a model as versions, and finds the version that applies at a time. Each event
// that sets prices makes a version, which replaces all that would begin at its start or later.

import type { PriceCard } from './price-card.ts';
import { isWithinHours } from './price-hours.ts';
import type { Prices } from './price.ts';

/** The prices of a model from a time on, until the next version begins. */
export type PriceVersion = Prices &
  Readonly<{
    /** Identifies these prices of the model: 1 for the first event that set prices. */
    version: number;
    /** Epoch milliseconds. 0 for the oldest version. */
    fromMs: number;
  }>;

/** Rows that arrive late are priced with the version of their time. The oldest are dropped. */
export const priceVersionsMax = 20;

type PricedModel = Readonly<{
  inputPricePerMtok: number | null;
  outputPricePerMtok: number | null;
  priceCard?: PriceCard | null | undefined;
}>;

/** The prices in the fields of a model. */
export const setPrices = (model: PricedModel): Prices => ({
  input: model.inputPricePerMtok,
  output: model.outputPricePerMtok,
  card: model.priceCard ?? null,
});

/** `after` is the number before the first version, for a model that had prices before. */
type Setting = Readonly<{ setAtMs: number; after?: number }>;

/**
 * Adds the prices that an event set. Returns the versions in the order of their start. Until a first
 * card begins, its base prices apply without it, as a version with the number before.
 */
export function withPrices(
  versions: readonly PriceVersion[],
  prices: Prices,
  { setAtMs, after = 0 }: Setting,
): readonly PriceVersion[] {
  const last = versions.at(-1)?.version ?? after;
  const fromMs = Math.max(setAtMs, startOf(prices.card) ?? 0);
  const added = { version: last + 1, fromMs, ...prices };
  const isFirst = versions.length === 0 && isScheduled(added);
  const held = isFirst ? [{ ...prices, version: last, fromMs: 0, card: null }] : versions;
  const earlier = held.filter((one) => one.fromMs < fromMs);
  const [oldest = added, ...others] = [...earlier, added].slice(-priceVersionsMax);
  return [{ ...oldest, fromMs: 0 }, ...others];
}

/** Null if prices were never set. */
export function pricesAt(versions: readonly PriceVersion[], atMs: number): PriceVersion | null {
  const found = versions.findLast(({ fromMs }) => fromMs <= atMs);
  return found === undefined ? null : timedPrices(found, atMs);
}

/** The prices for a request at this time, which may be in the hours of a service tier. */
export function timedPrices<Given extends Prices>(prices: Given, atMs: number): Given {
  const tiers = prices.card?.service_tiers;
  if (tiers === undefined) return prices;
  const timed = Object.values(tiers).find(
    ({ hours }) => hours !== undefined && isWithinHours(hours, atMs),
  );
  return { ...prices, timed };
}

/** The newest version and, if it is scheduled, those that may apply until then. */
export const versionsAhead = (versions: readonly PriceVersion[]): readonly PriceVersion[] =>
  versions.slice(
    Math.max(
      0,
      versions.findLastIndex((one) => !isScheduled(one)),
    ),
  );

const isScheduled = ({ card, fromMs }: PriceVersion): boolean => startOf(card) === fromMs;

/** Null if the card applies at once. */
const startOf = (card: PriceCard | null): number | null =>
  card?.effective_from === undefined ? null : Date.parse(card.effective_from);
