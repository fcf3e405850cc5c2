// Reads the token counts of chat servers (wire reference 2.4).

import { countOf, member, objectOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { TranslatedUsage } from '../translation.ts';

/** Null if it has no counts. */
export function readChatUsage(usage: JsonObject | null): TranslatedUsage | null {
  if (usage === null) return null;
  const prompt = countOf(usage, 'prompt_tokens');
  const completion = countOf(usage, 'completion_tokens');
  if (prompt === null && completion === null) return null;
  const read = objectOf(usage, 'prompt_tokens_details') ?? {};
  const written = objectOf(usage, 'completion_tokens_details') ?? {};
  return {
    promptTokens: prompt ?? 0,
    completionTokens: completion ?? 0,
    // DeepSeek and Mistral report these outside the details.
    cachedTokens:
      countOf(read, 'cached_tokens') ??
      countOf(usage, 'prompt_cache_hit_tokens') ??
      countOf(usage, 'num_cached_tokens'),
    cacheWriteTokens: countOf(read, 'cache_write_tokens'),
    reasoningTokens: countOf(written, 'reasoning_tokens'),
    cost: costOf(usage),
  };
}

function costOf(usage: JsonObject): number | null {
  const cost = member(usage, 'cost');
  return typeof cost === 'number' && cost >= 0 ? cost : null;
}
