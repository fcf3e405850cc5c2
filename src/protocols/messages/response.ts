// Translates a complete chat completion to a message, and any error to an error of the Messages API
// (specification, "Data plane": /v1/messages; wire reference 1.5).

import { anthropicUsage } from '../../usage/dialects/anthropic.ts';
import { readAs } from '../../usage/read-report.ts';
import { isObject, listOf, objectOf, parseJson, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { truncatedError, unreadableError } from '../chat-answer.ts';
import type { TranslatedResponse } from '../translation.ts';
import { errorMessage, errorStatus } from '../openai/error.ts';
import { errorText } from './error.ts';
import { inputOf, readCalls, toolUseId } from '../openai/read-calls.ts';
import type { CallPiece } from '../openai/read-calls.ts';
import { readContent } from '../openai/read-content.ts';
import type { ChatContent } from '../openai/read-content.ts';
import { stopOf } from './stop-reason.ts';
import { messageUsage } from './usage.ts';
import { chatUsage } from '../openai/usage.ts';

export type MessageOptions = Readonly<{
  requestId: string;
  /** The name that the client requested. */
  model: string;
  /** The stop sequences of the request. Only read if the server reports which one matched. */
  stopSequences: () => readonly string[];
}>;

/**
 * `body` is a chat completion or an error of any protocol. Messages and errors of backends that
 * speak the Messages API stay unchanged.
 */
export function messageAnswer(
  status: number,
  body: Buffer,
  options: MessageOptions,
): TranslatedResponse {
  const value = parseJson(body.toString('utf8'));
  const answer = isObject(value) ? value : null;
  if (answer !== null && isMessages(answer)) {
    const isHidden = answer['type'] === 'error' && status < 400;
    const usage = readAs(anthropicUsage, objectOf(answer, 'usage'));
    return { status: isHidden ? errorStatus(answer) : status, body, usage };
  }
  if (status >= 400) return failed(status, errorMessage(value), options);
  if (answer === null) return failed(502, unreadableError.message, options);
  const choice = listOf(answer, 'choices').find(isObject);
  if (choice !== undefined) return messageOf(status, answer, choice, options);
  const isError = (answer['error'] ?? null) !== null;
  if (isError) return failed(errorStatus(answer), errorMessage(answer), options);
  return failed(502, unreadableError.message, options);
}

const isMessages = ({ type, error, role }: JsonObject): boolean =>
  (type === 'message' && role === 'assistant') || (type === 'error' && isObject(error));

function failed(
  status: number,
  message: string | null,
  { requestId }: MessageOptions,
): TranslatedResponse {
  const text = message ?? `the upstream answered ${status}`;
  const body = Buffer.from(errorText(status, text, requestId));
  return { status, body, usage: null };
}

function messageOf(
  status: number,
  answer: JsonObject,
  choice: JsonObject,
  options: MessageOptions,
): TranslatedResponse {
  const { model, requestId, stopSequences } = options;
  const message = objectOf(choice, 'message');
  if (message === null) return failed(502, truncatedError.message, options);
  const content = readContent(message);
  const calls = readCalls(message).filter(({ name }) => name !== null);
  const hasToolCalls = calls.length > 0;
  const isRefused = content.refusal !== '';
  const stop = stopOf(choice, { hasToolCalls, isRefused, stopSequences });
  const usage = chatUsage(answer);
  const text = writeJson({
    id: messageId(textOf(answer, 'id'), requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...contentBlocks(content),
      ...calls.map((call, at) => callBlock(call, requestId, at)),
    ],
    stop_reason: stop.reason,
    stop_sequence: stop.sequence,
    usage: messageUsage(usage),
  });
  if (text === null) return failed(502, unreadableError.message, options);
  return { status, body: Buffer.from(text), usage };
}

export function messageId(chatId: string | null, requestId: string): string {
  const id = chatId === null || chatId === '' ? requestId : chatId.replace(/^chatcmpl-/, '');
  return id.startsWith('msg_') ? id : `msg_${id}`;
}

/** Clients expect a signature with thinking. Thinking of other vendors has none. */
const contentBlocks = ({ reasoning, text, refusal }: ChatContent): readonly JsonObject[] => [
  ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
  ...(text === '' ? [] : [{ type: 'text', text }]),
  ...(refusal === '' ? [] : [{ type: 'text', text: refusal }]),
];

const callBlock = (call: CallPiece, requestId: string, ordinal: number): JsonObject => ({
  type: 'tool_use',
  id: toolUseId(call.id, requestId, ordinal),
  name: call.name ?? '',
  input: inputOf(call.arguments),
});
