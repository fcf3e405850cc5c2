// Converts the token counts of an answer to those of the Messages API, whose `input_tokens` excludes
// cache reads and writes (wire reference 1.5, 2.4).

import type { UsageReport } from '../../usage/counts.ts';
import { cacheCreation, toolUse } from '../chat-answer.ts';
import type { JsonObject } from '../json.ts';

/** Null for a message that has just begun. */
export function messageUsage(usage: UsageReport | null): JsonObject {
  if (usage === null) return nothingCounted;
  const { cacheWrite5mTokens: short, cacheWrite1hTokens: long, serviceTier } = usage;
  const read = usage.cacheReadTokens ?? 0;
  const written = (short ?? 0) + (long ?? 0);
  return {
    input_tokens: usage.promptTokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(written > 0 && { cache_creation: cacheCreation(usage) }),
    output_tokens: usage.completionTokens,
    ...(usage.reasoningTokens !== null && {
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    }),
    ...toolUse(usage.serverToolCalls),
    // The ordinary tier of a chat is `default`.
    ...(serviceTier !== null && {
      service_tier: serviceTier === 'default' ? 'standard' : serviceTier,
    }),
  };
}

const nothingCounted: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};
