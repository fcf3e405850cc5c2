// Reads the token counts of generateContent. Thoughts are not part of the answer's tokens, and the
// vendor's own tools are counted outside the prompt (wire reference 3.3).

import { countOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { TranslatedUsage } from '../translation.ts';

/** Early events of a stream may have metadata without counts. */
export const isUsage = (metadata: JsonObject): boolean =>
  typeof metadata['promptTokenCount'] === 'number' ||
  typeof metadata['candidatesTokenCount'] === 'number';

export function readUsage(metadata: JsonObject): TranslatedUsage | null {
  const count = (name: string): number | null => countOf(metadata, name);
  const prompt = count('promptTokenCount');
  const answer = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  if (prompt === null && answer === null && thoughts === null) return null;
  return {
    promptTokens: (prompt ?? 0) + (count('toolUsePromptTokenCount') ?? 0),
    completionTokens: (answer ?? 0) + (thoughts ?? 0),
    cachedTokens: count('cachedContentTokenCount'),
    cacheWriteTokens: null,
    reasoningTokens: thoughts,
  };
}
