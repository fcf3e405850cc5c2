// Reads the prices of a model in an aggregator's list (https://openrouter.ai/api/v1/models).

import { z } from 'zod';

import { entryOf, newDraft, perCallPlaces, perTokenPlaces, readPrice, setAt } from './draft.ts';
import type { PriceDraft, PriceSet } from './draft.ts';
import type { TokenPrice } from '../../usage/price-names.ts';
import type { ListedEntry } from './listed-price.ts';

const tokenKeys: ReadonlyMap<string, TokenPrice> = new Map(
  Object.entries({
    prompt: 'input',
    completion: 'output',
    input_cache_read: 'cache_read',
    input_cache_write: 'cache_write_5m',
    input_cache_write_1h: 'cache_write_1h',
    audio: 'input_audio',
    audio_output: 'output_audio',
    input_audio_cache: 'cache_read_audio',
    image_token: 'input_image',
    internal_reasoning: 'reasoning',
  } as const),
);

/** The list has prices of an image and of one of its tokens under these names. */
const imageKeys = [
  { key: 'image', price: 'input_image', side: 'input', each: null },
  { key: 'image_output', price: 'output_image', side: 'output', each: 'per_output_image' },
] as const;
/** An image costs more than this number of text tokens, one of its tokens less. */
const tokensPerImageMin = 100;

const otherKeys: ReadonlySet<string> = new Set([
  ...imageKeys.map(({ key }) => key),
  'request',
  'web_search',
  'overrides',
]);
const unusedKeys: ReadonlyMap<string, string> = new Map([
  ['discount', 'discounts are not applied'],
]);

export function readAggregatorEntry(pricing: object): ListedEntry {
  const draft = newDraft();
  const base = setAt(draft, { tier: null, above: null });
  Object.assign(base, readPrices(draft, pricing, base));
  // Reasoning is output, also in tiers, which have no price of it.
  if (base.reasoning === base.output) delete base.reasoning;
  const request = readOther(draft, Reflect.get(pricing, 'request'));
  if (request !== null) draft.units.set('per_request', request);
  const search = readOther(draft, Reflect.get(pricing, 'web_search'));
  if (search !== null) draft.toolCalls.set('web_search', search);
  readOverrides(draft, Reflect.get(pricing, 'overrides'), base);
  return entryOf(draft);
}

/** The prices of one object of the list, without those of `base` that it does not change. */
function readPrices(draft: PriceDraft, pricing: object, base: PriceSet): PriceSet {
  const prices: PriceSet = {};
  for (const [key, value] of Object.entries(pricing)) {
    const price = tokenKeys.get(key);
    if (price !== undefined) {
      const read = readPrice(draft, value, perTokenPlaces);
      // 0 means free of charge for a side, and no own price for a part of it.
      const isSide = price === 'input' || price === 'output';
      if (read !== null && (read > 0 || isSide)) prices[price] = read;
    } else if (!otherKeys.has(key)) {
      if (Number(value) !== 0) draft.unused.push({ key, reason: unusedKeys.get(key) ?? null });
    }
  }
  for (const { key, price, side, each } of imageKeys) {
    const read = readPrice(draft, Reflect.get(pricing, key), perTokenPlaces);
    if (read === null || read === 0) continue;
    if (read <= tokensPerImageMin * (prices[side] ?? base[side] ?? 0)) prices[price] = read;
    else if (each === null) draft.unused.push({ key, reason: uncountedImages });
    else draft.units.set(each, Math.round(read / 10 ** (perTokenPlaces - perCallPlaces)));
  }
  return prices;
}

const uncountedImages = 'answers of chats do not count the images of a request';

function readOther(draft: PriceDraft, value: unknown): number | null {
  const price = readPrice(draft, value, perCallPlaces);
  return price === 0 ? null : price;
}

const overrideList = z
  .array(z.looseObject({ min_prompt_tokens: z.int().nonnegative().optional() }))
  .max(32);

/** The last override that applies to a prompt decides on each price. Others keep the base price. */
function readOverrides(draft: PriceDraft, value: unknown, base: PriceSet): void {
  if (value === undefined || value === null) return;
  const list = overrideList.safeParse(value);
  if (!list.success) {
    draft.unused.push({ key: 'overrides', reason: null });
    return;
  }
  const read = list.data.flatMap(({ min_prompt_tokens: above = 0, ...override }) => {
    if (Object.keys(override).some((key) => key.startsWith('utc_'))) {
      draft.unused.push({ key: 'overrides', reason: timeOfDay });
      return [];
    }
    return [{ above, prices: readPrices(draft, override, base) }];
  });
  for (const { above } of read) {
    const applied = read.filter((one) => one.above <= above).map(({ prices }) => prices);
    Object.assign(setAt(draft, { tier: null, above }), base, ...applied);
  }
}

const timeOfDay = 'hours of overrides are not read; the regular price is used';
