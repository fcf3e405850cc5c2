// Reads price lists: an aggregator's list of models (https://openrouter.ai/api/v1/models) and a
// price catalogue in the format of LiteLLM's model_prices_and_context_window.json. Both give the
// price per token; gw uses micro-units per million tokens.

import { z } from 'zod';

import { readAggregatorEntry } from '../../snapshot/prices/aggregator-entry.ts';
import { readCatalogueEntry } from '../../snapshot/prices/catalogue-entry.ts';
import type { ListedEntry, ListedPrice, UnusedKey } from '../../snapshot/prices/listed-price.ts';

export type PriceList = Readonly<{
  /** By the name of the model. Entries without any price are left out. */
  entries: ReadonlyMap<string, ListedEntry>;
  /** The number of entries with an invalid price: negative, not a number, or too large. */
  nonsense: number;
  /** The next page of the list. Null on the last page. */
  next: string | null;
}>;

const aggregatorList = z.object({
  data: z.array(z.unknown()),
  links: z.object({ next: z.string().nullish() }).optional().catch(undefined),
});
const aggregatorEntry = z.object({ id: z.string().min(1), pricing: z.looseObject({}) });

/** Null if the text is not such a list. A price of 0 means free of charge. */
export function readAggregatorPrices(text: string): PriceList | null {
  const list = aggregatorList.safeParse(parseJson(text));
  if (!list.success) return null;
  const entries = list.data.data.flatMap((value): NamedEntry[] => {
    const entry = aggregatorEntry.safeParse(value);
    return entry.success ? [[entry.data.id, readAggregatorEntry(entry.data.pricing)]] : [];
  });
  return { ...listOf(entries), next: list.data.links?.next ?? null };
}

const catalogueList = z.record(z.string(), z.unknown());
/** Describes the fields, in prose instead of values. */
const catalogueSpecimen = 'sample_spec';

/**
 * Null if the text is not such a list. Its models that are not priced per token, or whose price is
 * unknown, have the price 0, like free ones. So an entry whose prices are all 0 counts as unpriced:
 * treating a paid model as free would be worse.
 */
export function readCataloguePrices(text: string): PriceList | null {
  const list = catalogueList.safeParse(parseJson(text));
  if (!list.success) return null;
  const given = Object.entries(list.data).flatMap(([name, value]): (readonly [string, object])[] =>
    typeof value !== 'object' || value === null || name === catalogueSpecimen
      ? []
      : [[name, value]],
  );
  const sessions = new Map(given.flatMap(([, value]) => sessionPrice(value)));
  const entries = given.map(([name, value]): NamedEntry => {
    const { price, ...entry } = readCatalogueEntry(value);
    if (price === null || isFree(price)) return [name, { ...entry, price: null }];
    return [name, readCatalogueEntry({ ...sessionOf(value, sessions), ...value })];
  });
  return { ...listOf(entries), next: null };
}

const sessionKey = 'code_interpreter_cost_per_session';

/** The price by provider. The list has it in an entry of its own, but models run the tool. */
const sessionPrice = (entry: object): (readonly [unknown, unknown])[] =>
  Object.hasOwn(entry, sessionKey)
    ? [[Reflect.get(entry, 'litellm_provider'), Reflect.get(entry, sessionKey)]]
    : [];

function sessionOf(entry: object, prices: ReadonlyMap<unknown, unknown>): object {
  const isAnswering = ['chat', 'responses'].includes(String(Reflect.get(entry, 'mode')));
  const price = isAnswering ? prices.get(Reflect.get(entry, 'litellm_provider')) : undefined;
  return price === undefined ? {} : { [sessionKey]: price };
}

type NamedEntry = readonly [string, ListedEntry];

/** Numbers are prices and thresholds, and a threshold is never 0. */
const isFree = ({ inputPricePerMtok, outputPricePerMtok, priceCard }: ListedPrice): boolean =>
  [inputPricePerMtok, outputPricePerMtok].every((price) => (price ?? 0) === 0) &&
  !hasPrice(priceCard);

const hasPrice = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).some(([name, member]) => name !== 'above_tokens' && hasPrice(member))
    : typeof value === 'number' && value > 0;

const listOf = (named: readonly NamedEntry[]): Pick<PriceList, 'entries' | 'nonsense'> => ({
  entries: new Map(named.filter(([, { price, unused }]) => price !== null || unused.length > 0)),
  nonsense: named.filter(([, { isNonsense }]) => isNonsense).length,
});

type CountedKey = UnusedKey & Readonly<{ models: number }>;

/** `more` is the number of keys that are left out. */
export type UnusedPrices = Readonly<{ keys: readonly CountedKey[]; more: number }>;

/** The longest known list has 110 unused keys. */
const unusedMax = 200;

/**
 * The keys of a list that are not used, for each reason. Unknown ones come first, then the most
 * frequent ones.
 */
export function unusedPrices(entries: ReadonlyMap<string, ListedEntry>): UnusedPrices {
  const byKey = new Map<string, CountedKey>();
  for (const { unused } of entries.values()) {
    for (const { key, reason } of unused) {
      const group = `${key} ${reason}`;
      const known = byKey.get(group);
      byKey.set(group, { key, reason, models: (known?.models ?? 0) + 1 });
    }
  }
  const rank = ({ reason }: CountedKey): number => (reason === null ? 0 : 1);
  const all = [...byKey.values()].toSorted(
    (a, b) => rank(a) - rank(b) || b.models - a.models || (a.key < b.key ? -1 : 1),
  );
  return { keys: all.slice(0, unusedMax), more: Math.max(0, all.length - unusedMax) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
