// Translates a complete answer of the vendor to a chat completion
// (https://ai.google.dev/api/generate-content).

import { geminiUsage } from '../../usage/dialects/gemini.ts';
import { readAs } from '../../usage/read-report.ts';
import { answerError, answerUnreadable, usageMembers } from '../chat-answer.ts';
import { isObject, listOf, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerOptions, TranslatedResponse } from '../translation.ts';
import { readParts } from './answer-parts.ts';
import type { AnswerCall } from './answer-parts.ts';
import { Billed } from './billed.ts';
import { readError } from './error.ts';
import { finishReason, promptRefusalOf, refusalOf } from './finish-reason.ts';

export function translateResponse(
  status: number,
  body: Buffer,
  options: AnswerOptions,
): TranslatedResponse {
  const answer = parseJson(body.toString('utf8'));
  const failed = readError(answer);
  if (status >= 400) return answerError(status, failed?.error ?? null, options);
  if (failed !== null) return answerError(failed.status, failed.error, options);
  const choice = isObject(answer) ? choiceOf(answer, options) : null;
  if (!isObject(answer) || choice === null) return answerUnreadable(options);
  const billed = new Billed();
  listOf(answer, 'candidates')
    .filter(isObject)
    .forEach((candidate) => billed.read(candidate));
  const model = textOf(answer, 'modelVersion') ?? options.model;
  const usage = billed.addTo(readAs(geminiUsage, objectOf(answer, 'usageMetadata')), model);
  const completion = {
    id: textOf(answer, 'responseId') ?? `chatcmpl-${options.requestId}`,
    object: 'chat.completion',
    created: options.created,
    model,
    choices: [{ index: 0, ...choice, logprobs: null }],
    ...usageMembers(usage),
  };
  return { status, body: Buffer.from(JSON.stringify(completion)), usage };
}

/** Null if the answer has neither content nor a block reason, or if a call cannot be read. */
function choiceOf(answer: JsonObject, options: AnswerOptions) {
  const candidate = listOf(answer, 'candidates').find(isObject);
  if (candidate === undefined) {
    const refusal = promptRefusalOf(answer);
    if (refusal === null) return null;
    const message = { role: 'assistant', content: null, refusal };
    return { message, finish_reason: 'content_filter' };
  }
  const answerId = textOf(answer, 'responseId') ?? options.requestId;
  const parts = readParts(candidate, answerId, 0);
  if (parts === null) return null;
  const made = parts.flatMap((part) => (part.kind === 'call' ? [toolCallOf(part.call)] : []));
  const signed = parts.findLast(({ kind }) => kind === 'signature');
  const calls = options.singleToolCall ? made.slice(0, 1) : made;
  const joined = (wanted: 'text' | 'thought'): string =>
    parts.map((part) => (part.kind === wanted ? part.text : '')).join('');
  const [content, reasoning] = [joined('text'), joined('thought')];
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    refusal: refusalOf(candidate),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(signed?.kind === 'signature' && signed.more),
  };
  const reason = finishReason(textOf(candidate, 'finishReason'), calls.length > 0);
  return { message, finish_reason: reason };
}

const toolCallOf = ({ id, name, arguments: given, more }: AnswerCall): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: given },
  ...more,
});
