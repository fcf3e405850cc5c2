// How hard a model is asked to think: an effort, or a number of tokens that is taken for one
// (https://platform.claude.com/docs/en/build-with-claude/effort).

import type { ReasoningEffort } from '../chat.ts';
import { below, readChoice, readCount, readObject } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const ways = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const;

/** From so many tokens on. */
const mediumBudgetMin = 4096;
const highBudgetMin = 16_384;

/**
 * An effort that is named is the answer. Where the model itself is to decide, as with adaptive thinking, nothing
 * is said, and it does.
 */
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

/** The object that is a member of another, as a place to read from. */
function within(field: Field, name: string): Field | null {
  const object = readObject(field, name);
  if (object === null) return null;
  return { object, at: below(field.at, name), refusals: field.refusals };
}
