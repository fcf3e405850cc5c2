// Reads how much the model should think: an effort, or a token budget that is mapped to one
// (https://platform.claude.com/docs/en/build-with-claude/effort).

import type { ReasoningEffort } from '../chat.ts';
import { below, readChoice, readCount, readObject } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const ways = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const;

/** The lowest token budget for each effort. */
const mediumBudgetMin = 4096;
const highBudgetMin = 16_384;

/** A named effort has priority. With adaptive thinking the model decides. */
export function readEffort(field: Field): ReasoningEffort | null {
  const config = within(field, 'output_config');
  const effort = config === null ? null : readChoice(config, 'effort', efforts);
  const thinking = within(field, 'thinking');
  if (thinking === null) return effort;
  const way = readChoice(thinking, 'type', ways);
  const budget = readCount(thinking, 'budget_tokens');
  if (way === 'disabled') return 'none';
  if (effort !== null || way !== 'enabled' || budget === null) return effort;
  if (budget >= highBudgetMin) return 'high';
  return budget >= mediumBudgetMin ? 'medium' : 'low';
}

function within(field: Field, name: string): Field | null {
  const object = readObject(field, name);
  if (object === null) return null;
  return { object, at: below(field.at, name), refusals: field.refusals };
}
