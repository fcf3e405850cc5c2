// Translates the finish reason of an answer to that of a chat (wire reference 3.3). A blocked
// prompt or answer becomes a refusal; otherwise the client would see an empty answer without a
// reason.

import type { FinishReason } from '../chat-answer.ts';
import { objectOf, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

const lengths: ReadonlySet<string> = new Set(['MAX_TOKENS', 'CONTINUATION']);

const blocks: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** Calls have no finish reason of their own, so the presence of one decides. */
export function finishReason(reason: string | null, hasToolCalls: boolean): FinishReason {
  if (reason !== null && lengths.has(reason)) return 'length';
  if (reason !== null && blocks.has(reason)) return 'content_filter';
  return hasToolCalls ? 'tool_calls' : 'stop';
}

export function refusalOf(candidate: JsonObject): string | null {
  const reason = textOf(candidate, 'finishReason');
  if (reason === null || !blocks.has(reason)) return null;
  return textOf(candidate, 'finishMessage') ?? `the answer was blocked: ${reason}`;
}

/** Null if the prompt was not blocked. A blocked prompt has no candidates and status 200. */
export function promptRefusalOf(answer: JsonObject): string | null {
  const feedback = objectOf(answer, 'promptFeedback');
  const reason = feedback === null ? null : textOf(feedback, 'blockReason');
  if (feedback === null || reason === null) return null;
  return textOf(feedback, 'blockReasonMessage') ?? `the prompt was blocked: ${reason}`;
}
