// Scripts upstreams of the other protocols: the same small answers in each vendor's format.

import * as anthropic from '../../protocols/anthropic/events.ts';
import * as gemini from '../../protocols/gemini/events.ts';
import { answerJson } from './upstream.ts';
import type { Script } from './upstream.ts';

export type Vendor = Readonly<{
  protocol: 'anthropic' | 'gemini';
  upstreamModel: string;
  credentialHeader: string;
  path: string;
  streamPath: string;
  /** An answer `Hello` with 11 input tokens, 8 of them cached, and 7 output tokens. */
  message: object;
  /** The same answer as a stream: the events with its content, and those that end it. */
  begun: Buffer;
  ended: Buffer;
  /** An error event with the status below. */
  failure: Buffer;
  failedStatus: number;
  failedMessage: string;
  /** The body of an error with this status. */
  errorOf: (status: number, message: string) => object;
}>;

const anthropicErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const geminiErrors: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  529: 'UNAVAILABLE',
};

const counted = { input_tokens: 2, cache_read_input_tokens: 8, cache_creation_input_tokens: 1 };
const geminiCounted = {
  promptTokenCount: 11,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 3,
};

export const vendors: readonly Vendor[] = [
  {
    protocol: 'anthropic',
    upstreamModel: 'claude-sonnet-5',
    credentialHeader: 'x-api-key',
    path: '/v1/messages',
    streamPath: '/v1/messages',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-answering',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { ...counted, output_tokens: 7 },
    },
    begun: anthropic.bytesOf(
      anthropic.start({ ...counted, output_tokens: 1 }),
      anthropic.ping,
      ...anthropic.textBlock(0, 'Hel', 'lo'),
    ),
    ended: anthropic.bytesOf(
      ...anthropic.ended('end_turn', { input_tokens: 99, output_tokens: 7 }),
    ),
    failure: anthropic.bytesOf({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    }),
    failedStatus: 529,
    failedMessage: 'Overloaded',
    errorOf: (status, message) => ({
      type: 'error',
      error: { type: anthropicErrors[status], message },
      request_id: 'req_1',
    }),
  },
  {
    protocol: 'gemini',
    upstreamModel: 'gemini-3-pro',
    credentialHeader: 'x-goog-api-key',
    path: '/v1/models/gemini-3-pro:generateContent',
    streamPath: '/v1/models/gemini-3-pro:streamGenerateContent?alt=sse',
    message: gemini.answer([gemini.textPart('Hello')], gemini.stopped, geminiCounted),
    begun: gemini.bytesOf(
      gemini.answer([gemini.textPart('Hel')], {}, { promptTokenCount: 11 }),
      gemini.answer([gemini.textPart('lo')], {}, { promptTokenCount: 11 }),
    ),
    ended: gemini.bytesOf(gemini.answer([gemini.textPart('')], gemini.stopped, geminiCounted)),
    failure: gemini.bytesOf({
      error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
    }),
    failedStatus: 503,
    failedMessage: 'The model is overloaded.',
    errorOf: (status, message) => ({
      error: { code: status, message, status: geminiErrors[status] },
    }),
  },
];

/** Sends each piece as a chunk of the body, then ends the response. */
export const answerEvents =
  (...pieces: readonly Buffer[]): Script =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

/** Sends the pieces but never ends the response. */
export const startEvents =
  (...pieces: readonly Buffer[]): Script =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    for (const piece of pieces) response.write(piece);
  };

/** Sends the pieces, then breaks the connection. */
export const breakEvents =
  (...pieces: readonly Buffer[]): Script =>
  (seen, response) => {
    startEvents(...pieces)(seen, response);
    response.write(': a comment\n\n', () => response.destroy());
  };

export const answerFailed = (
  { errorOf }: Vendor,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Script => answerJson(errorOf(status, `the vendor says ${status}`), status, headers);
