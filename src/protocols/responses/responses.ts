// Chooses how the answer of a backend is translated to the Responses API. Answers of other
// protocols are translated to chat first. Answers of backends that serve the Responses API are
// forwarded.

import { truncatedError, unreadableError } from '../chat-answer.ts';
import { chained } from '../chained-stream.ts';
import { openChatStream, writeDelta } from '../openai/chat-stream.ts';
import { isObject, listOf, objectOf, parseJson, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { errorMessage, errorStatus } from '../openai/error.ts';
import { chatUsage } from '../openai/usage.ts';
import type { AnswerTranslation, TranslatedResponse } from '../translation.ts';
import { errorBody, ResponseWriter } from './response-writer.ts';
import type { ResponseOptions } from './response-writer.ts';

/** For backends that speak chat. */
export const responsesOfChat = (options: ResponseOptions): AnswerTranslation => ({
  translateResponse: (status, body) => responseAnswer(status, body, options),
  openStream: () => openChatStream(new ResponseWriter(options)),
});

/** For backends whose answers `chat` translates to chat. */
export const responsesOver = (
  chat: AnswerTranslation,
  options: ResponseOptions,
): AnswerTranslation => ({
  translateResponse(status, body, answerOptions) {
    const answer = chat.translateResponse(status, body, { ...answerOptions, keepsThinking: true });
    return { ...responseAnswer(answer.status, answer.body, options), usage: answer.usage };
  },
  openStream(streamOptions) {
    const stream = chat.openStream({ ...streamOptions, keepsThinking: true });
    return chained(
      stream,
      openChatStream(new ResponseWriter(options), () => stream.failedStatus),
    );
  },
});

/**
 * `body` is a chat completion or an error of any protocol. Errors in the API's own envelope are
 * unchanged.
 */
function responseAnswer(
  status: number,
  body: Buffer,
  options: ResponseOptions,
): TranslatedResponse {
  const value = parseJson(body.toString('utf8'));
  const answer = isObject(value) ? value : null;
  if (status >= 400) {
    const isOwn = answer !== null && objectOf(answer, 'error') !== null;
    return isOwn ? { status, body, usage: null } : failed(status, errorMessage(value), options);
  }
  if (answer === null) return failed(502, unreadableError.message, options);
  const choice = listOf(answer, 'choices').find(isObject);
  if (choice !== undefined) return responseOf(status, answer, choice, options);
  const isError = (answer['error'] ?? null) !== null;
  if (isError) return failed(errorStatus(answer), errorMessage(answer), options);
  return failed(502, unreadableError.message, options);
}

function responseOf(
  status: number,
  answer: JsonObject,
  choice: JsonObject,
  options: ResponseOptions,
): TranslatedResponse {
  const message = objectOf(choice, 'message');
  if (message === null) return failed(502, truncatedError.message, options);
  const writer = new ResponseWriter(options);
  const usage = chatUsage(answer);
  writeDelta(writer, message);
  writer.finish(choice, usage);
  const text = writeJson(writer.response);
  if (text === null) return failed(502, unreadableError.message, options);
  return { status, body: Buffer.from(text), usage };
}

function failed(
  status: number,
  message: string | null,
  { requestId }: ResponseOptions,
): TranslatedResponse {
  const text = message ?? `the upstream answered ${status}`;
  return { status, body: Buffer.from(errorBody(text, requestId)), usage: null };
}
