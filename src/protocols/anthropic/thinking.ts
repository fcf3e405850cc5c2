// Derives the thinking parameters from `reasoning_effort`. Models up to Claude 4.5 take a token
// budget, newer ones an effort
// (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).

import type { Chat, ReasoningEffort } from '../chat.ts';
import type { JsonObject } from '../json.ts';

export type Thinking = Readonly<{ thinking: JsonObject | null; effort: string | null }>;

const off: Thinking = { thinking: null, effort: null };

/** The vendor's minimum. The answer needs tokens in addition to it. */
const budgetTokensMin = 1024;
const budgetTokensMax = 32_768;

/** Share of `max_tokens`, which limits thinking and answer together. */
const budgetShare: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.9,
};

/**
 * Omits the parameter unless the client asked for thinking, because some models reject turning it
 * off. A model that is forced to call a tool must not think first, so the forced call has priority.
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

/**
 * The turn with the tool calls would have to begin with its signed thinking, which most clients do
 * not send back.
 */
function isAmidTools({ messages }: Chat): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  if (last?.role !== 'assistant') return false;
  return last.toolCalls.length > 0 && last.thinkingBlocks === undefined;
}

/** An unknown name counts as a new model. */
function waysToThink(model: string): 'none' | 'budget' | 'effort' {
  if (/claude-3[-.]7/.test(model)) return 'budget';
  if (/claude-(?:instant|[123](?!\d))/.test(model)) return 'none';
  const version = /claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (version === null) return 'effort';
  const [, major, minor] = version;
  return Number(major) === 4 && Number(minor ?? 0) <= 5 ? 'budget' : 'effort';
}
