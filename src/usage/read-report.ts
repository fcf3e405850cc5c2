// Reads the usage object of an answer in one form for all providers. A count that the object does
// not have stays null, and a zero stays 0.

import { scaleDecimal } from '../lib/decimal.ts';
import { tokenParts } from './counts.ts';
import type { UsageReport } from './counts.ts';
import { anthropicUsage } from './dialects/anthropic.ts';
import { bedrockUsage } from './dialects/bedrock.ts';
import { countOf, isGiven, nothingFound, readName } from './dialects/field.ts';
import type { Dialect, Found, Given } from './dialects/field.ts';
import { geminiUsage } from './dialects/gemini.ts';
import { openaiUsage } from './dialects/openai.ts';

/** For a server that may be of any vendor. `tier` is the one of the answer, next to its usage. */
export const readReport = (given: Given | null, tier: unknown = null): UsageReport | null =>
  given === null ? null : readAs(dialectOf(given), given, tier);

/** Null if the object has no count. */
export function readAs(
  dialect: Dialect,
  given: Given | null,
  tier: unknown = null,
): UsageReport | null {
  if (given === null) return null;
  const found: Found = { ...nothingFound };
  dialect.usage.read(given, found);
  found.serviceTier ??= readName(tier);
  dialect.settle(found, given);
  const hasTotal = found.promptTokens !== null || found.completionTokens !== null;
  if (!hasTotal && found.units === null) return null;
  const promptTokens = found.promptTokens ?? 0;
  const completionTokens = found.completionTokens ?? 0;
  const isClamped = clamp(found, { input: promptTokens, output: completionTokens });
  return { ...found, promptTokens, completionTokens, costMicros: costMicrosOf(given), isClamped };
}

/** The paths of fields that neither count nor are known not to count. */
export const unknownFields = (given: Given): readonly string[] =>
  dialectOf(given).usage.unknownIn(given);

/** The last one claims every object. */
const dialects: readonly Dialect[] = [geminiUsage, bedrockUsage, anthropicUsage];

const dialectOf = (given: Given): Dialect =>
  dialects.find(({ claims }) => claims(given)) ?? openaiUsage;

/** Limits parts that exceed what is left of their total, in their order. True if one did. */
function clamp(found: Found, left: { input: number; output: number }): boolean {
  let isClamped = false;
  for (const { key, side } of tokenParts) {
    const count = found[key];
    if (count === null) continue;
    if (count > left[side]) {
      found[key] = left[side];
      isClamped = true;
    }
    left[side] -= found[key] ?? 0;
  }
  return isClamped;
}

/** Null when the answer does not report an amount. */
function costMicrosOf(given: Given): number | null {
  const { cost } = given;
  const ticks = countOf(given, 'cost_in_usd_ticks');
  if (ticks !== null) return microsOf(ticks, placesOfTick);
  return microsOf(isGiven(cost) ? cost['total_cost'] : cost, 0);
}

/** xAI counts in units of 10^-10. */
const placesOfTick = -10;

/** `amount` is in units of 10^`places`. */
function microsOf(amount: unknown, places: number): number | null {
  if (typeof amount !== 'number' || !(amount >= 0)) return null;
  // A double multiplied by a million can fall on the wrong side of a half (Gateway rule 16).
  const micros = Number(scaleDecimal(String(amount), places + 6) ?? Infinity);
  return Number.isSafeInteger(micros) ? micros : null;
}
