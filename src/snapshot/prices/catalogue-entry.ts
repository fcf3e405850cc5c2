// Reads the prices of an entry in the format of LiteLLM, from a price catalogue or from the entry of
// a model in a configuration file.

import { z } from 'zod';

import { percentMax } from '../../usage/price-card.ts';
import { unitPrices } from '../../usage/price-names.ts';
import { isBilledByUnit, priceKeyIn, priceKeyOf } from './catalogue-keys.ts';
import type { PriceKey } from './catalogue-keys.ts';
import {
  entryOf,
  hasTokenPrice,
  newDraft,
  perCallPlaces,
  perTokenPlaces,
  readPrice,
  setAt,
} from './draft.ts';
import type { PriceDraft } from './draft.ts';
import { readOffPeakHours } from './off-peak.ts';
import type { UnitPrice } from '../../usage/price-names.ts';
import type { ListedEntry } from './listed-price.ts';

/** A threshold of these providers includes the number itself. */
const inclusiveProviders: ReadonlySet<unknown> = new Set(['xai']);
/** These providers bill cache reads at half of the input price, unless they have another price. */
const halfPricedReaders: ReadonlySet<unknown> = new Set(['fireworks_ai']);

export function readCatalogueEntry(entry: object): ListedEntry {
  const draft = newDraft();
  const provider: unknown = Reflect.get(entry, 'litellm_provider');
  const isInclusive = inclusiveProviders.has(provider);
  const keys = Object.entries(entry).flatMap(([key, value]: [string, unknown]): Read[] => {
    const meaning = value === null ? null : priceKeyIn(entry, key);
    return meaning === null ? [] : [{ key, value, meaning, isInclusive }];
  });
  // A range takes precedence over the price of all ranges.
  for (const read of keys.filter((one) => !isRange(one))) readKey(draft, read);
  for (const { key, value } of keys.filter(isRange)) readRanges(draft, { key, value });
  for (const read of keys.filter(isOffPeak)) readOffPeak(draft, read);
  priceImageOnlyOutput(draft);
  const base = setAt(draft, { tier: null, above: null });
  if (draft.units.size > 0 && isBilledByUnit(Reflect.get(entry, 'mode')) && !hasTokenPrice(draft)) {
    Object.assign(base, { input: 0, output: 0 });
  }
  if (halfPricedReaders.has(provider) && base.input !== undefined) {
    base.cache_read ??= Math.round(base.input / 2);
  }
  return entryOf(draft);
}

const isRange = ({ meaning }: Read): boolean => meaning.kind === 'ranges';
const isOffPeak = ({ meaning }: Read): boolean => meaning.kind === 'off_peak';

type Read = Readonly<{ key: string; value: unknown; meaning: PriceKey; isInclusive: boolean }>;

function readKey(draft: PriceDraft, { key, value, meaning, isInclusive }: Read): void {
  switch (meaning.kind) {
    case 'tokens': {
      const price = readPrice(draft, value, perTokenPlaces);
      const above = meaning.above === null ? null : meaning.above - (isInclusive ? 1 : 0);
      if (price !== null) setAt(draft, { tier: meaning.tier, above })[meaning.price] = price;
      return;
    }
    case 'unit': {
      const price = readPrice(draft, value, placesOf(meaning.price));
      // A side that is not billed has the price 0.
      if (price !== null && price > 0) draft.units.set(meaning.price, price);
      return;
    }
    case 'tool': {
      for (const [name, given] of pricesOf(value, meaning.tool)) {
        const price = readPrice(draft, given, meaning.calls === 1 ? perCallPlaces : 3);
        if (price !== null) draft.toolCalls.set(name, price);
      }
      return;
    }
    case 'modes':
      readModes(draft, value);
      return;
    case 'region': {
      const percent = percentOf(value);
      if (percent !== null) draft.regions.set(meaning.region, percent);
      return;
    }
    case 'ranges':
    case 'off_peak':
      return;
    case 'unused':
      if (isPrice(value)) draft.unused.push({ key, reason: meaning.reason });
      return;
  }
}

const placesOf = (name: UnitPrice): number =>
  unitPrices.some((one) => one.name === name && one.pays.startsWith('million_'))
    ? perTokenPlaces
    : perCallPlaces;

/** False for 0 and for text, such as a note. */
const isPrice = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(isPrice)
    : value !== 0 && Number.isFinite(Number(value));

/** A search can cost by the size of its context. The price of medium ones is that of all others. */
function pricesOf(value: unknown, tool: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[tool, value]];
  const priceOf = (size: string): unknown => Reflect.get(value, `search_context_size_${size}`);
  const medium = priceOf('medium');
  const others = ['low', 'high'].filter((size) => ![undefined, medium].includes(priceOf(size)));
  return [[tool, medium], ...others.map((size) => [`${tool}_${size}`, priceOf(size)] as const)];
}

/** Modes and regions can apply together. Other members are settings. */
function readModes({ percents }: PriceDraft, value: unknown): void {
  for (const [mode, factor] of Object.entries(value ?? {})) {
    const percent = percentOf(factor);
    if (percent !== null) percents.set(mode, percent);
  }
  const [fast, ...regions] = [percents.get('fast'), ...percents.keys()];
  for (const region of regions) {
    const percent = percents.get(region) ?? 100;
    if (fast !== undefined && region !== 'fast') {
      percents.set(`fast.${region}`, Math.round((fast * percent) / 100));
    }
  }
}

/** Null if the value is not a factor. */
function percentOf(value: unknown): number | null {
  const percent = typeof value === 'number' ? Math.round(value * 100) : 0;
  return percent > 0 && percent <= percentMax ? percent : null;
}

/** The prices that the schedule does not have are the regular ones. */
function readOffPeak(draft: PriceDraft, { key, value }: Pick<Read, 'key' | 'value'>): void {
  const hours = readOffPeakHours(value);
  if (hours === null || typeof value !== 'object' || value === null) {
    draft.unused.push({ key, reason: null });
    return;
  }
  const base = setAt(draft, { tier: null, above: null });
  const prices = Object.assign(setAt(draft, { tier: 'off_peak', above: null }), base);
  for (const [name, given] of Object.entries(value)) {
    const meaning = priceKeyOf(name);
    if (meaning?.kind !== 'tokens' || meaning.tier !== null || meaning.above !== null) continue;
    const price = readPrice(draft, given, perTokenPlaces);
    if (price !== null) prices[meaning.price] = price;
  }
  draft.hours.set('off_peak', hours);
}

const rangeList = z
  .array(z.looseObject({ range: z.tuple([z.number().nonnegative(), z.unknown()]) }))
  .max(32);

function readRanges(draft: PriceDraft, { key, value }: Pick<Read, 'key' | 'value'>): void {
  const list = rangeList.safeParse(value);
  if (!list.success) {
    draft.unused.push({ key, reason: 'usage rows do not count the results of a search' });
    return;
  }
  for (const { range, ...prices } of list.data) {
    for (const [name, price] of Object.entries(prices)) {
      const meaning = priceKeyOf(name);
      if (meaning?.kind === 'tokens') {
        const given = readPrice(draft, price, perTokenPlaces);
        const place = { tier: meaning.tier, above: Math.trunc(range[0]) };
        if (given !== null) setAt(draft, place)[meaning.price] = given;
      } else if (meaning !== null) {
        draft.unused.push({ key: `${key}.${name}`, reason: null });
      }
    }
  }
}

/** All output of a model without a price of text is images. */
function priceImageOnlyOutput({ sets }: PriceDraft): void {
  for (const byThreshold of sets.values()) {
    for (const prices of byThreshold.values()) {
      const { output = 0, output_image: image } = prices;
      if (output === 0 && image !== undefined) prices.output = image;
    }
  }
}
