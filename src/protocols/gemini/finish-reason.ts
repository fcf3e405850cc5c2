// Why an answer ended, in the words of a chat (wire reference 3.3). A block of the prompt or of the answer
// is told as a refusal, since a client would else see an answer that is empty for no reason.

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

/** A call ends like any answer: that there was one decides. */
export function finishReason(reason: string | null, hasToolCalls: boolean): FinishReason {
  if (reason !== null && lengths.has(reason)) return 'length';
  if (reason !== null && blocks.has(reason)) return 'content_filter';
  return hasToolCalls ? 'tool_calls' : 'stop';
}

/** Null for a candidate that was not blocked. */
export function refusalOf(candidate: JsonObject): string | null {
  const reason = textOf(candidate, 'finishReason');
  if (reason === null || !blocks.has(reason)) return null;
  return textOf(candidate, 'finishMessage') ?? `the answer was blocked: ${reason}`;
}

/** Null for a prompt that was not blocked. A blocked one has no candidates, and a status of 200. */
export function promptRefusalOf(answer: JsonObject): string | null {
  const feedback = objectOf(answer, 'promptFeedback');
  const reason = feedback === null ? null : textOf(feedback, 'blockReason');
  if (feedback === null || reason === null) return null;
  return textOf(feedback, 'blockReasonMessage') ?? `the prompt was blocked: ${reason}`;
}
