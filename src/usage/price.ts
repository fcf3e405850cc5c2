// Computes what the counts of a request cost at the prices of a model (Gateway rule 16). Exact,
// and rounded once: half a micro-unit is rounded up.

import { cachedCounts, tokenParts, unitCounts } from './counts.ts';
import type { UnitName, UsageCounts } from './counts.ts';
import { defaultCurrency } from '../lib/vocabulary.ts';
import type { ContextTier, PriceCard, PriceSet, ServiceTier } from './price-card.ts';
import type { TokenPrice } from './price-names.ts';

/**
 * The prices of a model, in micro-units per million tokens. Null means not set. Without a card, all
 * tokens of a side are billed at its base price.
 */
export type Prices = Readonly<{
  input: number | null;
  output: number | null;
  card: PriceCard | null;
  /** The service tier of the card that applies to standard requests at their time, if any. */
  timed?: ServiceTier | undefined;
}>;

export type Cost = Readonly<{
  /** Micro-units of `currency`. Null if a price is missing, or if the amount is too large. */
  micros: number | null;
  currency: string;
  /**
   * Micro-units by the price that was used: a token price, the price of a request or of another
   * unit, or `tool_calls.` and a tool. The sum is `micros`. Empty if that is null.
   */
  breakdown: Readonly<Record<string, number>>;
  /** The first price that is missing, such as `cache_read` or `tool_calls.web_search`. */
  missing: string | null;
  /** True if the parts of a total are more than the total: its base price pays for nothing. */
  isClamped: boolean;
}>;

type Bill = {
  /** Amounts in micro-units / `divisor`, by price. */
  readonly lines: Map<string, bigint>;
  missing: string | null;
  isClamped: boolean;
};

/** One million tokens, times one hundred percent. */
const divisor = 100_000_000n;
const wholePercent = 100;

/** The tiers that have the prices of the card itself, unless the card lists them. */
const standardTiers: ReadonlySet<string> = new Set(['auto', 'default', 'on_demand', 'standard']);

export function costOf(counts: UsageCounts, prices: Prices): Cost {
  const bill: Bill = { lines: new Map(), missing: null, isClamped: false };
  if (prices.card === null) billTotals(bill, counts, prices);
  else billCard(bill, counts, { ...prices, card: prices.card });
  const { missing, isClamped } = bill;
  const facts = { currency: currencyOf(prices), missing, isClamped };
  const total = roundedSum(bill.lines);
  if (missing !== null || total > BigInt(Number.MAX_SAFE_INTEGER)) {
    return { micros: null, breakdown: {}, ...facts };
  }
  return { micros: Number(total), breakdown: split(bill.lines, total), ...facts };
}

export const currencyOf = (prices: Prices | null): string =>
  prices?.card?.currency ?? defaultCurrency;

/** Budgets of money are in the default currency: prices in another do not charge them. */
export const isChargedToBudgets = (prices: Prices | null): boolean =>
  currencyOf(prices) === defaultCurrency;

/** The formula of the specification. A side without tokens needs no price. */
function billTotals(bill: Bill, counts: UsageCounts, { input, output }: Prices): void {
  if (input === null && output === null) bill.missing = 'input';
  const rates = { prices: baseSet({ input, output }), percent: wholePercent };
  billTokens(bill, { name: 'input', tokens: counts.promptTokens, ...rates });
  billTokens(bill, { name: 'output', tokens: counts.completionTokens, ...rates });
  billUnits(bill, counts, {});
}

type CardPrices = Prices & Readonly<{ card: PriceCard }>;

function billCard(bill: Bill, counts: UsageCounts, prices: CardPrices): void {
  const { card } = prices;
  const rates = ratesFor(counts, prices);
  if (rates === null) bill.missing = `service_tiers.${counts.serviceTier}`;
  else {
    billSide(bill, counts, { side: 'input', rest: counts.promptTokens, card, ...rates });
    billSide(bill, counts, { side: 'output', rest: counts.completionTokens, card, ...rates });
  }
  if (card.per_request !== undefined) add(bill, 'per_request', perUnit(1, card.per_request));
  billUnits(bill, counts, card);
  for (const [tool, calls] of Object.entries(counts.serverToolCalls ?? {})) {
    if (calls === 0) continue;
    const price = toolPrice(card, tool);
    if (price === undefined) bill.missing ??= `tool_calls.${tool}`;
    else add(bill, `tool_calls.${tool}`, perUnit(calls, price));
  }
}

/**
 * Units that the answer also counts in tokens are paid as tokens. Those without a price are part of
 * the tokens of their side; if it has none, the price is missing.
 */
function billUnits(bill: Bill, counts: UsageCounts, card: PriceCard): void {
  if (counts.units === null) return;
  for (const { name, price, per, side, part } of unitCounts) {
    const units = counts.units[name] ?? 0;
    if (units === 0 || (part !== null && (counts[part] ?? 0) > 0)) continue;
    const micros = name === 'output_pixels' && paysForImages(card) ? undefined : card[price];
    const tokens = side === 'input' ? counts.promptTokens : counts.completionTokens;
    if (micros !== undefined) add(bill, price, perUnit(units, micros) / BigInt(per));
    else if (tokens === 0 && !isPaidByPixel(name, counts, card)) bill.missing ??= price;
  }
}

const paysForImages = (card: PriceCard): boolean => card.per_output_image !== undefined;

/** Generated images are paid by the image or, without such a price, by the pixel. */
const isPaidByPixel = (name: UnitName, { units }: UsageCounts, card: PriceCard): boolean =>
  name === 'output_pixels' ||
  (name === 'output_images' &&
    card.output_pixels !== undefined &&
    Number(units?.['output_pixels']) > 0);

type Rates = Readonly<{ prices: PriceSet; percent: number }>;

/** The prices of the service tier and of the context tier. Null if the card lacks that service. */
function ratesFor({ promptTokens, serviceTier }: UsageCounts, prices: CardPrices): Rates | null {
  const { card, timed } = prices;
  const base = { ...card, ...baseSet(prices) };
  const tiers = card.service_tiers ?? {};
  const isListed = serviceTier !== null && Object.hasOwn(tiers, serviceTier);
  const isStandard = serviceTier === null || standardTiers.has(serviceTier);
  const service = isListed ? tiers[serviceTier] : isStandard ? timed : undefined;
  if (service === undefined) {
    return isStandard ? { prices: setFor(base, promptTokens), percent: wholePercent } : null;
  }
  const { percent } = service;
  return percent === undefined
    ? { prices: setFor(service, promptTokens), percent: wholePercent }
    : { prices: setFor(base, promptTokens), percent };
}

/** A tier that applies replaces the whole set: a price that it does not have is missing. */
const setFor = (
  set: PriceSet & Readonly<{ context_tiers?: readonly ContextTier[] | undefined }>,
  promptTokens: number,
): PriceSet => set.context_tiers?.findLast((tier) => promptTokens > tier.above_tokens) ?? set;

const baseSet = ({ input, output }: Pick<Prices, 'input' | 'output'>): PriceSet => ({
  input: input ?? undefined,
  output: output ?? undefined,
});

type Side = Rates & Readonly<{ side: 'input' | 'output'; rest: number; card: PriceCard }>;

/** Bills the parts of a side, and what is left of its total at its base price. */
function billSide(bill: Bill, counts: UsageCounts, { side, rest, card, ...rates }: Side): void {
  let left = rest;
  for (const part of tokenParts) {
    const tokens = counts[part.key] ?? 0;
    if (part.side !== side || tokens === 0) continue;
    const fallback = card.fallbacks?.[part.kind];
    const price = rates.prices[part.kind] ?? (fallback && rates.prices[fallback]);
    if (part.kind === 'reasoning' && price === undefined) continue;
    left -= tokens;
    const others = part.kind === 'cache_read' ? billCached(bill, counts, rates) : 0;
    billTokens(bill, { name: part.kind, tokens: tokens - others, ...rates, price });
  }
  if (left < 0) bill.isClamped = true;
  billTokens(bill, { name: side, tokens: Math.max(0, left), ...rates });
}

/** Bills cache reads that have prices of their own, and returns their number. */
function billCached(bill: Bill, { cacheReadTokens, units }: UsageCounts, rates: Rates): number {
  const all = cacheReadTokens ?? 0;
  let billed = 0;
  for (const { name, kind } of cachedCounts) {
    const price = rates.prices[kind];
    const tokens = Math.min(units?.[name] ?? 0, all - billed);
    if (price === undefined || tokens === 0) continue;
    billTokens(bill, { name: kind, tokens, ...rates, price });
    billed += tokens;
  }
  return billed;
}

type TokenLine = Rates & Readonly<{ name: TokenPrice; tokens: number; price?: number | undefined }>;

function billTokens(bill: Bill, { name, tokens, prices, percent, ...own }: TokenLine): void {
  if (tokens === 0) return;
  const price = own.price ?? prices[name];
  if (price === undefined) bill.missing ??= name;
  else add(bill, name, BigInt(tokens) * BigInt(price) * BigInt(percent));
}

/** Calls of one size have the price of all sizes, unless they have one of their own. */
function toolPrice({ tool_calls: prices = {} }: PriceCard, tool: string): number | undefined {
  const names = [tool, tool.replace(/^(web_search)_(?:low|medium|high)$/, '$1')];
  const name = names.find((one) => Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}

const perUnit = (units: number, micros: number): bigint => BigInt(units) * BigInt(micros) * divisor;

const add = ({ lines }: Bill, name: string, amount: bigint): void => {
  lines.set(name, (lines.get(name) ?? 0n) + amount);
};

function roundedSum(lines: Bill['lines']): bigint {
  const exact = [...lines.values()].reduce((sum, amount) => sum + amount, 0n);
  return (exact + divisor / 2n) / divisor;
}

/** Rounds each amount so that the sum is `total`: the largest remainders are rounded up. */
function split(lines: Bill['lines'], total: bigint): Record<string, number> {
  const parts = [...lines].map(([name, exact]) => ({
    name,
    whole: exact / divisor,
    remainder: exact % divisor,
  }));
  const left = Number(total - parts.reduce((sum, { whole }) => sum + whole, 0n));
  const roundedUp = new Set(
    parts.toSorted((a, b) => Number(b.remainder - a.remainder)).slice(0, left),
  );
  return Object.fromEntries(
    parts.map((part) => [part.name, Number(part.whole) + (roundedUp.has(part) ? 1 : 0)]),
  );
}
