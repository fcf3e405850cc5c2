// Derives the thinking parameters from `reasoning_effort`, like the vendor's own chat API
// (https://ai.google.dev/gemini-api/docs/openai#thinking).

import type { Chat, ReasoningEffort } from '../chat.ts';
import type { JsonObject } from '../json.ts';
import { familyOf } from './target.ts';

type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';
type Thinking = Readonly<{ budget: number; level: Level }>;

const efforts: Readonly<Record<ReasoningEffort, Thinking>> = {
  none: { budget: 0, level: 'MINIMAL' },
  minimal: { budget: 1024, level: 'MINIMAL' },
  low: { budget: 1024, level: 'LOW' },
  medium: { budget: 8192, level: 'MEDIUM' },
  high: { budget: 24_576, level: 'HIGH' },
  xhigh: { budget: 24_576, level: 'HIGH' },
  max: { budget: 24_576, level: 'HIGH' },
};

/** The minimum for the Pro model of Gemini 2.5. */
const proBudgetMin = 128;

/**
 * Null if the client did not ask for thinking or the model rejects the parameter. Clients that ask
 * also receive the thoughts.
 */
export function thinkingConfigOf({ reasoningEffort }: Chat, model: string): JsonObject | null {
  if (reasoningEffort === null) return null;
  const { budget, level } = efforts[reasoningEffort];
  const shown = reasoningEffort === 'none' ? {} : { includeThoughts: true };
  switch (familyOf(model)) {
    case 'plain':
      return null;
    case 'budget':
      return { ...shown, thinkingBudget: isPro(model) ? Math.max(budget, proBudgetMin) : budget };
    case 'level':
      return { ...shown, thinkingLevel: isPro(model) ? proLevel(level, model) : level };
  }
}

const isPro = (model: string): boolean => /-pro(?![a-z])/.test(model) && !/flash/.test(model);

/** Pro models always think, and the first Gemini 3 supports only two levels. */
function proLevel(level: Level, model: string): Level {
  if (level === 'MINIMAL') return 'LOW';
  return level === 'MEDIUM' && /gemini-3-pro/.test(model) ? 'HIGH' : level;
}
