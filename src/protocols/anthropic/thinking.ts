// How hard a model is asked to think, out of `reasoning_effort`. Models differ: until Claude 4.5 a
// number of tokens is set, from 4.6 on the model decides and is told an effort
// (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).

import type { Chat, ReasoningEffort } from '../chat.ts';
import type { JsonObject } from '../json.ts';

export type Thinking = Readonly<{ thinking: JsonObject | null; effort: string | null }>;

const off: Thinking = { thinking: null, effort: null };

/** The vendor's least; the answer needs room beside it. */
const budgetTokensMin = 1024;
const budgetTokensMax = 32_768;

/** Of `max_tokens`, which holds both the thinking and the answer. */
const budgetShare: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.9,
};

/**
 * Nothing is said where nothing was asked, since some models refuse to be told not to think. A model
 * that must call a tool may not think first: what is certain to be asked for then comes first.
 */
export function thinkingOf(chat: Chat, model: string, maxTokens: number): Thinking {
  const { reasoningEffort: effort, toolChoice } = chat;
  if (effort === null || effort === 'none') return off;
  const isForced = toolChoice?.mode === 'required';
  switch (waysToThink(model)) {
    case 'none':
      return off;
    case 'effort':
      return {
        thinking: isForced ? null : { type: 'adaptive' },
        effort: effort === 'minimal' ? 'low' : effort,
      };
    case 'budget': {
      const share = Math.floor(maxTokens * budgetShare[effort]);
      const budget = Math.min(Math.max(share, budgetTokensMin), budgetTokensMax);
      if (isForced || isAmidTools(chat) || budget >= maxTokens) return off;
      return { thinking: { type: 'enabled', budget_tokens: budget }, effort: null };
    }
  }
}

/** The turn that called the tools would have to begin with its signed thinking, which most clients do not send back. */
function isAmidTools({ messages }: Chat): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (last?.role !== 'assistant') return false;
  return last.toolCalls.length > 0 && last.thinkingBlocks === undefined;
}

/** A name that is not known is taken for a new model. */
function waysToThink(model: string): 'none' | 'budget' | 'effort' {
  if (/claude-3[-.]7/.test(model)) return 'budget';
  if (/claude-(?:instant|[123](?!\d))/.test(model)) return 'none';
  const version = /claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (version === null) return 'effort';
  const [, major, minor] = version;
  return Number(major) === 4 && Number(minor ?? 0) <= 5 ? 'budget' : 'effort';
}
