// Reads the prices of an entry in the format of LiteLLM, from a price catalogue or from the entry of
// a model in a configuration file.

import { z } from 'zod';

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
      if (isBySize(value)) draft.unused.push({ key, reason: mediumOnly });
      const price = readPrice(draft, mediumOf(value), meaning.calls === 1 ? perCallPlaces : 3);
      if (price !== null) draft.toolCalls.set(meaning.tool, price);
      return;
    }
    case 'ranges':
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

const mediumOnly = 'the price of medium searches applies to all sizes';

/** A search costs by the size of its context. Answers do not report the size. */
const mediumOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Reflect.get(value, 'search_context_size_medium')
    : value;

const isBySize = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && new Set(Object.values(value)).size > 1;

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
