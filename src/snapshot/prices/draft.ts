// Collects the prices of an entry of a price list, and builds the price of its model from them.

import { priceField } from '../../lib/amounts.ts';
import { scaleDecimal } from '../../lib/decimal.ts';
import { tokenParts } from '../../usage/counts.ts';
import type { TokenPart } from '../../usage/counts.ts';
import { givenPriceCard } from '../../usage/price-card.ts';
import type { ContextTier, PriceCard, ServiceTier } from '../../usage/price-card.ts';
import type { TokenPrice, UnitPrice } from '../../usage/price-names.ts';
import type { ListedEntry, ListedPrice, UnusedKey } from './listed-price.ts';

/** Micro-units per million tokens. */
export type PriceSet = Partial<Record<TokenPrice, number>>;

/** The prices of an entry while it is read, by service tier and by prompt tokens. */
export type PriceDraft = Readonly<{
  /** Keyed by tier, '' for none, and then by the threshold, 0 for none. */
  sets: Map<string, Map<number, PriceSet>>;
  /** Prices that do not depend on tokens. */
  units: Map<UnitPrice, number>;
  toolCalls: Map<string, number>;
  /** Percentages of the token prices by service tier, and by the region of the address. */
  percents: Map<string, number>;
  regions: Map<string, number>;
  /** By service tier. */
  hours: Map<string, string>;
  unused: UnusedKey[];
  state: { isNonsense: boolean };
}>;

export const newDraft = (): PriceDraft => ({
  sets: new Map(),
  units: new Map(),
  toolCalls: new Map(),
  percents: new Map(),
  regions: new Map(),
  hours: new Map(),
  unused: [],
  state: { isNonsense: false },
});

type Place = Readonly<{ tier: string | null; above: number | null }>;

/** The prices at a place of the draft. */
export function setAt({ sets }: PriceDraft, { tier, above }: Place): PriceSet {
  const byThreshold = sets.get(tier ?? '') ?? new Map<number, PriceSet>();
  sets.set(tier ?? '', byThreshold);
  const prices = byThreshold.get(above ?? 0) ?? {};
  byThreshold.set(above ?? 0, prices);
  return prices;
}

/** A price per token is 10^12 times the price in micro-units per million tokens. */
export const perTokenPlaces = 12;
/** Micro-units per call, request or image. */
export const perCallPlaces = 6;

/**
 * Reads a price, a number or a decimal text, as its value times 10^places. Null if it is absent or
 * nonsense, which the draft then records.
 */
export function readPrice(draft: PriceDraft, value: unknown, places: number): number | null {
  if (value === undefined || value === null) return null;
  const isNumber = typeof value === 'string' || typeof value === 'number';
  const price = isNumber ? scaleDecimal(String(value).trim(), places) : null;
  const micros = priceField.safeParse(price === null ? null : Number(price));
  if (micros.success) return micros.data;
  draft.state.isNonsense = true;
  return null;
}

export const entryOf = (draft: PriceDraft): ListedEntry => ({
  price: listedPriceOf(draft),
  ...(draft.regions.size > 0 && { regions: draft.regions }),
  unused: [...new Map(draft.unused.map((one) => [one.key, one])).values()],
  isNonsense: draft.state.isNonsense,
});

/** Null if the draft has no price. A card that is not possible is nonsense. */
function listedPriceOf(draft: PriceDraft): ListedPrice | null {
  const { sets, units, state } = draft;
  const { input = null, output = null, ...parts } = sets.get('')?.get(0) ?? {};
  if (input === null && output === null && units.size === 0) return null;
  const card = cardOf(draft, parts);
  const isPossible = card === null || givenPriceCard.safeParse(card).success;
  if (!isPossible) state.isNonsense = true;
  if (state.isNonsense) return null;
  return { inputPricePerMtok: input, outputPricePerMtok: output, priceCard: card };
}

export const hasTokenPrice = ({ sets }: PriceDraft): boolean =>
  [...sets.values()].some((byThreshold) =>
    [...byThreshold.values()].some((prices) => Object.values(prices).some((price) => price > 0)),
  );

type NamedTier = readonly [string, ServiceTier];

function cardOf(draft: PriceDraft, parts: PriceSet): PriceCard | null {
  const { sets, units, toolCalls, percents, hours } = draft;
  const contextTiers = contextTiersOf(sets.get(''), []);
  const thresholds = contextTiers.map(({ above_tokens: above }) => above);
  const serviceTiers = [
    ...[...percents].map(([tier, percent]): NamedTier => [tier, { percent }]),
    ...[...sets]
      .filter(([tier]) => tier !== '')
      .map(([tier, prices]): NamedTier => {
        const own = tieredSet(prices, thresholds);
        return [tier, hours.has(tier) ? { ...own, hours: hours.get(tier) } : own];
      }),
  ].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const own = {
    ...parts,
    ...Object.fromEntries(units),
    ...(toolCalls.size === 0 ? {} : { tool_calls: Object.fromEntries(toolCalls) }),
    ...(serviceTiers.length === 0 ? {} : { service_tiers: Object.fromEntries(serviceTiers) }),
    ...(contextTiers.length === 0 ? {} : { context_tiers: contextTiers }),
  };
  return Object.keys(own).length === 0 ? null : { ...own, fallbacks: fallbacksOf(parts) };
}

/**
 * Tokens of a part that a list does not price apart are ordinary input or output: the lists define
 * it so. Reasoning without a price is output in any case.
 */
function fallbacksOf(parts: PriceSet): PriceCard['fallbacks'] {
  const isUnpriced = ({ kind }: TokenPart) => kind !== 'reasoning' && parts[kind] === undefined;
  return Object.fromEntries(
    tokenParts.filter(isUnpriced).map(({ kind, side }) => {
      const isWrite = kind === 'cache_write_1h' && parts.cache_write_5m !== undefined;
      return [kind, isWrite ? 'cache_write_5m' : side] as const;
    }),
  );
}

function tieredSet(
  prices: ReadonlyMap<number, PriceSet>,
  thresholds: readonly number[],
): ServiceTier {
  const tiers = contextTiersOf(prices, thresholds);
  return { ...prices.get(0), ...(tiers.length === 0 ? {} : { context_tiers: tiers }) };
}

/**
 * `thresholds` are those of the base prices. Where a service tier has no prices above one of them,
 * its prices there are not known: an empty set leaves such requests unpriced.
 */
function contextTiersOf(
  prices: ReadonlyMap<number, PriceSet> | undefined,
  thresholds: readonly number[],
): readonly ContextTier[] {
  const all = new Set([...thresholds, ...(prices?.keys() ?? [])]);
  all.delete(0);
  return [...all]
    .toSorted((a, b) => a - b)
    .map((above) => Object.assign({ above_tokens: above }, prices?.get(above)));
}
