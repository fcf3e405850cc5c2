// Converts the token counts of a chat to those of the Messages API, whose `input_tokens` excludes
// cache reads and writes (wire reference 1.5, 2.4).

import type { JsonObject } from '../json.ts';
import type { TranslatedUsage } from '../translation.ts';

const nothingCounted: TranslatedUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

export function messageUsage(usage: TranslatedUsage | null): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } =
    usage ?? nothingCounted;
  const read = Math.min(cachedTokens ?? 0, promptTokens);
  const written = Math.min(cacheWriteTokens ?? 0, promptTokens - read);
  return {
    input_tokens: promptTokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: completionTokens,
    ...(reasoningTokens !== null && {
      output_tokens_details: { thinking_tokens: reasoningTokens },
    }),
  };
}
