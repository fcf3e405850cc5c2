// Splits the cost of usage by the prices that paid for it.

import { cachedCounts, membersOf, rowCounts, tokenParts } from '../counts.ts';
import type { PartName, UsageCounts } from '../counts.ts';
import type { ContextTier, PriceSet } from '../price-card.ts';
import { costOf } from '../price.ts';
import type { Prices } from '../price.ts';
import { timedPrices } from '../price-versions.ts';
import type { HourUsage } from './charge.ts';

/**
 * The amounts by dimension. Null if they cannot be computed. Their sum can differ from the cost of
 * the usage by some micro-units, because the cost of each request was rounded.
 */
export function splitCost(usage: HourUsage, prices: Prices): ReadonlyMap<string, bigint> | null {
  const counts = countsOf(usage);
  if (counts === null) return null;
  const { micros, breakdown } = costOf(
    counts,
    withoutTiers(timedPrices(prices, usage.hour.getTime()), usage.tierTokens),
  );
  if (micros === null) return null;
  return new Map(
    Object.entries(breakdown).map(([name, amount]) => [
      name,
      name === 'per_request' ? BigInt(amount) * usage.requests : BigInt(amount),
    ]),
  );
}

/** Null if a sum is too large. */
function countsOf(usage: HourUsage): UsageCounts | null {
  const parts = membersOf<PartName, number | null>(
    tokenParts.map(({ name }) => name),
    null,
  );
  for (const { name } of tokenParts) {
    const sum = usage.parts[name];
    if (sum !== null) parts[name] = Number(sum);
  }
  const totals = {
    prompt_tokens: Number(usage.promptTokens),
    completion_tokens: Number(usage.completionTokens),
  };
  if (Object.values(totals).some((total) => !Number.isSafeInteger(total))) return null;
  return rowCounts({
    ...totals,
    ...parts,
    server_tool_calls: numbersOf(usage.toolCalls),
    units: numbersOf(usage.units),
    service_tier: usage.serviceTier,
  });
}

const numbersOf = (sums: HourUsage['units']): Record<string, number> =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)]));

/**
 * The prices that apply to prompts of this length. A sum of several prompts would choose another
 * tier.
 */
function withoutTiers(prices: Prices, promptTokens: number): Prices {
  const { card } = prices;
  if (card === null) return prices;
  const { context_tiers: tiers, service_tiers: services = {}, ...rest } = card;
  const applying = tierFor(tiers, promptTokens);
  const flatServices = Object.entries(services).map(([name, service]) => {
    const { context_tiers: own, percent, ...set } = service;
    const kept = percent === undefined ? {} : { percent };
    return [name, { ...kept, ...(tierFor(own, promptTokens) ?? set) }] as const;
  });
  const flat = { ...rest, service_tiers: Object.fromEntries(flatServices) };
  if (applying === undefined) return { ...prices, card: flat };
  const none = membersOf(
    [...tokenParts, ...cachedCounts].map(({ kind }) => kind),
    undefined,
  );
  return {
    ...prices,
    input: applying.input ?? null,
    output: applying.output ?? null,
    card: { ...flat, ...none, ...applying },
  };
}

function tierFor(
  tiers: readonly ContextTier[] | undefined,
  promptTokens: number,
): PriceSet | undefined {
  const found = tiers?.findLast((tier) => promptTokens > tier.above_tokens);
  if (found === undefined) return undefined;
  const { above_tokens: _above, ...set } = found;
  return set;
}
