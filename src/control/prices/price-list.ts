// Reads price lists: an aggregator's list of models (https://openrouter.ai/api/v1/models) and a
// price catalogue in the format of LiteLLM's model_prices_and_context_window.json. Both give the
// price per token; gw uses micro-units per million tokens.

import { z } from 'zod';

import { scaleDecimal } from '../../lib/decimal.ts';

/** Micro-units per million tokens. */
export type TokenPrices = Readonly<{ inputPricePerMtok: number; outputPricePerMtok: number }>;

export type PriceList = Readonly<{
  prices: ReadonlyMap<string, TokenPrices>;
  /** The number of entries with an invalid price: negative, not a number, or too large. */
  nonsense: number;
  /** The next page of the list. Null on the last page. */
  next: string | null;
}>;

const aggregatorList = z.object({
  data: z.array(z.unknown()),
  links: z.object({ next: z.string().nullish() }).optional().catch(undefined),
});
const aggregatorEntry = z.object({
  id: z.string().min(1),
  pricing: z.object({ prompt: z.unknown(), completion: z.unknown() }),
});

/** Null if the text is not such a list. A price of 0 means free of charge. */
export function readAggregatorPrices(text: string): PriceList | null {
  const list = aggregatorList.safeParse(parseJson(text));
  if (!list.success) return null;
  const quotes = list.data.data.flatMap((value): Quote[] => {
    const entry = aggregatorEntry.safeParse(value);
    if (!entry.success) return [];
    const { id, pricing } = entry.data;
    return [{ name: id, input: pricing.prompt, output: pricing.completion }];
  });
  return { ...pricesOf(quotes, { zeroIsPrice: true }), next: list.data.links?.next ?? null };
}

const catalogueList = z.record(z.string(), z.unknown());
const catalogueEntry = z.object({
  input_cost_per_token: z.unknown(),
  output_cost_per_token: z.unknown(),
});
/** Describes the fields, in prose instead of values. */
const catalogueSpecimen = 'sample_spec';

/**
 * Null if the text is not such a list. Its models that are not priced per token, or whose price is
 * unknown, have the price 0, like free ones. So 0 for both directions counts as unpriced: treating
 * a paid model as free would be worse.
 */
export function readCataloguePrices(text: string): PriceList | null {
  const list = catalogueList.safeParse(parseJson(text));
  if (!list.success) return null;
  const quotes = Object.entries(list.data).flatMap(([name, value]): Quote[] => {
    const entry = catalogueEntry.safeParse(value);
    if (!entry.success || name === catalogueSpecimen) return [];
    const { input_cost_per_token: input, output_cost_per_token: output } = entry.data;
    return [{ name, input, output }];
  });
  return { ...pricesOf(quotes, { zeroIsPrice: false }), next: null };
}

type Quote = Readonly<{ name: string; input: unknown; output: unknown }>;

/** An entry without prices for both directions is unpriced. */
function pricesOf(quotes: readonly Quote[], { zeroIsPrice }: Readonly<{ zeroIsPrice: boolean }>) {
  const prices = new Map<string, TokenPrices>();
  let nonsense = 0;
  for (const { name, input, output } of quotes) {
    const inputPrice = pricePerMtok(input);
    const outputPrice = pricePerMtok(output);
    if (inputPrice === 'nonsense' || outputPrice === 'nonsense') nonsense += 1;
    else if (inputPrice === null || outputPrice === null) continue;
    else if (!zeroIsPrice && inputPrice === 0 && outputPrice === 0) continue;
    else prices.set(name, { inputPricePerMtok: inputPrice, outputPricePerMtok: outputPrice });
  }
  return { prices, nonsense };
}

/** A price per token is 10^12 times the price in micro-units per million tokens. */
const places = 12;

/** Converts a price per token, a number or a decimal text. Null if absent. */
function pricePerMtok(quoted: unknown): number | null | 'nonsense' {
  if (quoted === undefined || quoted === null) return null;
  if (typeof quoted !== 'string' && typeof quoted !== 'number') return 'nonsense';
  const price = scaleDecimal(String(quoted).trim(), places);
  if (price === null || price < 0n || price > BigInt(Number.MAX_SAFE_INTEGER)) return 'nonsense';
  return Number(price);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
