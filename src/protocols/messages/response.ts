// A whole chat completion as a message, and any error as one of the Messages API (specification, "Data
// plane": /v1/messages; wire reference 1.5).

import { isObject, listOf, objectOf, parseJson, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { truncatedError, unreadableError } from '../chat-answer.ts';
import type { TranslatedResponse } from '../translation.ts';
import { errorMessage, errorStatus } from '../openai/error.ts';
import { errorText } from './error.ts';
import { inputOf, readCalls, toolUseId } from '../openai/read-calls.ts';
import type { CallPiece } from '../openai/read-calls.ts';
import { readSaid } from '../openai/read-said.ts';
import type { Said } from '../openai/read-said.ts';
import { stopOf } from './stop-reason.ts';
import { messageUsage } from './usage.ts';
import { readChatUsage } from '../openai/usage.ts';

export type MessageOptions = Readonly<{
  requestId: string;
  /** The name that the client asked for. */
  model: string;
  /** Those that the request named; asked only where a server tells which one it met. */
  stopSequences: () => readonly string[];
}>;

/**
 * `body` is a chat completion or an error of any dialect. A message stays as it is, byte for byte, as does an
 * error that is in the envelope already: both come from a backend that speaks the Messages API.
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
    return { status: isHidden ? errorStatus(answer) : status, body, usage: null };
  }
  if (status >= 400) return failed(status, errorMessage(value), options);
  if (answer === null) return failed(502, unreadableError.message, options);
  const choice = listOf(answer, 'choices').find(isObject);
  if (choice !== undefined) return said(status, answer, choice, options);
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
  const told = message ?? `the upstream answered ${status}`;
  const body = Buffer.from(errorText(status, told, requestId));
  return { status, body, usage: null };
}

function said(
  status: number,
  answer: JsonObject,
  choice: JsonObject,
  options: MessageOptions,
): TranslatedResponse {
  const { model, requestId, stopSequences } = options;
  const message = objectOf(choice, 'message');
  if (message === null) return failed(502, truncatedError.message, options);
  const told = readSaid(message);
  const calls = readCalls(message).filter(({ name }) => name !== null);
  const hasToolCalls = calls.length > 0;
  const isRefused = told.refusal !== '';
  const stop = stopOf(choice, { hasToolCalls, isRefused, stopSequences });
  const usage = readChatUsage(objectOf(answer, 'usage'));
  const text = writeJson({
    id: messageId(textOf(answer, 'id'), requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: [...saidBlocks(told), ...calls.map((call, at) => callBlock(call, requestId, at))],
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

/** Clients want a signature with thinking; what is not the vendor's has none. */
const saidBlocks = ({ reasoning, text, refusal }: Said): readonly JsonObject[] => [
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
