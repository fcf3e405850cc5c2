// Translates a complete message of the vendor to a chat completion
// (https://platform.claude.com/docs/en/api/messages).

import { anthropicUsage } from '../../usage/dialects/anthropic.ts';
import { readAs } from '../../usage/read-report.ts';
import { answerError, answerUnreadable, usageMembers } from '../chat-answer.ts';
import { isObject, listOf, objectOf, parseJson, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerOptions, TranslatedResponse } from '../translation.ts';
import { readError, statusOfError } from './error.ts';
import { finishReason } from './stop-reason.ts';

export function translateResponse(
  status: number,
  body: Buffer,
  options: AnswerOptions,
): TranslatedResponse {
  const answer = parseJson(body.toString('utf8'));
  if (status >= 400) return answerError(status, readError(answer), options);
  if (!isObject(answer)) return answerUnreadable(options);
  const error = answer['type'] === 'error' ? readError(answer) : null;
  if (error !== null) return answerError(statusOfError(error.type), error, options);
  const choice = Array.isArray(answer['content']) ? choiceOf(answer, options) : null;
  if (choice === null) return answerUnreadable(options);
  const usage = readAs(anthropicUsage, objectOf(answer, 'usage'));
  const completion = {
    id: textOf(answer, 'id') ?? `chatcmpl-${options.requestId}`,
    object: 'chat.completion',
    created: options.created,
    model: textOf(answer, 'model') ?? options.model,
    choices: [choice],
    ...usageMembers(usage),
  };
  return { status, body: Buffer.from(JSON.stringify(completion)), usage };
}

/** Null if the arguments cannot be serialized. */
function choiceOf(answer: JsonObject, { keepsThinking }: AnswerOptions): JsonObject | null {
  const blocks = listOf(answer, 'content').filter(isObject);
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const toolCalls = uses.map(toolCallOf).filter((call) => call !== null);
  if (toolCalls.length < uses.length) return null;
  const reasoning = joined(blocks, 'thinking');
  const thinking = keepsThinking === true ? blocks.filter(isSigned) : [];
  const message = {
    role: 'assistant',
    content: joined(blocks, 'text'),
    refusal: refusalOf(answer),
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  const reason = finishReason(answer['stop_reason'], toolCalls.length > 0);
  return { index: 0, message, logprobs: null, finish_reason: reason };
}

/** Thinking that can be sent back. Other servers of this API may not sign theirs. */
export const isSigned = ({ type, signature }: JsonObject): boolean =>
  type === 'redacted_thinking' ||
  (type === 'thinking' && typeof signature === 'string' && signature !== '');

/** The member that holds the text has the name of the type. Null without such blocks. */
function joined(blocks: readonly JsonObject[], type: 'text' | 'thinking'): string | null {
  const texts = blocks.filter((block) => block['type'] === type);
  return texts.length === 0 ? null : texts.map((block) => textOf(block, type) ?? '').join('');
}

function toolCallOf(block: JsonObject, index: number): JsonObject | null {
  const input = writeJson(objectOf(block, 'input') ?? {});
  if (input === null) return null;
  const described = { name: textOf(block, 'name') ?? '', arguments: input };
  return { id: textOf(block, 'id') ?? `toolu_${index}`, type: 'function', function: described };
}

export function refusalOf(stopped: JsonObject): string | null {
  const details = objectOf(stopped, 'stop_details');
  return details === null ? null : textOf(details, 'explanation');
}
