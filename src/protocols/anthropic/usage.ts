// Reads the token counts of the Messages API. Its `input_tokens` excludes cache reads and writes,
// which a chat counts in the prompt.

import { countOf, objectOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { TranslatedUsage } from '../translation.ts';

type Prompt = Readonly<{ total: number; cached: number | null; cacheWrite: number | null }>;

/**
 * `first` is the usage of a stream's first event. Its prompt counts have priority (Gateway rule 11)
 * unless they are zero, as with servers that only know them at the end. Null if neither reports
 * usage.
 */
export function readUsage(
  first: JsonObject | null,
  last: JsonObject | null,
): TranslatedUsage | null {
  const early = promptOf(first);
  const prompt = early === null || early.total === 0 ? (promptOf(last) ?? early) : early;
  const output = outputOf(last) ?? outputOf(first);
  if (prompt === null && output === null) return null;
  const details = objectOf(last ?? first ?? {}, 'output_tokens_details');
  return {
    promptTokens: prompt?.total ?? 0,
    completionTokens: output ?? 0,
    cachedTokens: prompt?.cached ?? null,
    cacheWriteTokens: prompt?.cacheWrite ?? null,
    reasoningTokens: details === null ? null : countOf(details, 'thinking_tokens'),
  };
}

function promptOf(usage: JsonObject | null): Prompt | null {
  if (usage === null) return null;
  const input = countOf(usage, 'input_tokens');
  const cached = countOf(usage, 'cache_read_input_tokens');
  const cacheWrite = countOf(usage, 'cache_creation_input_tokens');
  if (input === null) return null;
  return { total: input + (cached ?? 0) + (cacheWrite ?? 0), cached, cacheWrite };
}

const outputOf = (usage: JsonObject | null): number | null =>
  usage === null ? null : countOf(usage, 'output_tokens');
