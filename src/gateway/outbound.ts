// What one attempt sends: the client's request with the model's name written in, or the chat that
// it asks for in the words of the backend's own protocol (Gateway rules 11 and 14).

import type { Clock } from '../lib/clock.ts';
import type { Protocol } from '../lib/vocabulary.ts';
import type { Chat } from '../protocols/chat.ts';
import { translations } from '../protocols/protocol.ts';
import { readChat } from '../protocols/read-chat.ts';
import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { ChatTranslation, StreamOptions } from '../protocols/translation.ts';
import type { CompiledBackend } from '../snapshot/compile/models.ts';
import { tracedHeaders } from '../telemetry/trace.ts';
import type { MeteredRequest } from './meter.ts';
import type { ProxiedRoute } from './routes.ts';
import { spliceBody } from './splice.ts';
import type { Exchange, UpstreamRequest } from './transport/boundary.ts';

/** How the answer of a backend of another protocol is read. */
export type AnswerReading = Readonly<{
  translation: ChatTranslation;
  isStream: boolean;
  options: StreamOptions;
}>;

export type Outbound = Readonly<{
  request: UpstreamRequest;
  /** Null where the answer is the client's as it comes. */
  reading: AnswerReading | null;
}>;

export type OutboundContext = Readonly<{
  proxied: ProxiedRoute;
  /** As `upstreamHeaders` makes them. */
  headers: readonly string[];
  body: Buffer;
  request: MeteredRequest;
  /** The time to first byte of a backend that has none of its own. */
  firstByteMs: number;
  now: Clock;
}>;

export function upstreamHeaders(exchange: Exchange): readonly string[] {
  const { trace } = exchange;
  const forwarded = exchange.forwardedHeaders();
  const headers = trace === null ? forwarded : tracedHeaders(forwarded, trace);
  headers.push('x-request-id', exchange.requestId, 'accept-encoding', 'identity');
  if (exchange.header('content-type') === undefined)
    headers.push('content-type', 'application/json');
  return headers;
}

export function outboundTo(
  backend: CompiledBackend,
  context: OutboundContext,
): Outbound | ProtocolRefusal {
  const translation = translations[backend.protocol];
  if (translation !== undefined) return translated(translation, backend, context);
  const { proxied, headers, body, request } = context;
  return {
    request: {
      path: backend.basePath + proxied.path,
      headers: withCredential(headers, backend),
      body: spliceBody(body, request.peeked, {
        model: backend.upstreamModel,
        modelJson: backend.upstreamModelJson,
        includeUsage: proxied.knowsIncludeUsage && request.caller.principalId !== null,
      }),
      firstByteMs: backend.firstByteMs ?? context.firstByteMs,
    },
    reading: null,
  };
}

function translated(
  translation: ChatTranslation,
  backend: CompiledBackend,
  context: OutboundContext,
): Outbound | ProtocolRefusal {
  const { protocol, upstreamModel, basePath, defaultMaxTokens } = backend;
  const chat = readChat(context.body, protocol);
  if (isProtocolRefusal(chat)) return chat;
  const asked = translation.translateRequest(chat, upstreamModel, { basePath, defaultMaxTokens });
  if (isProtocolRefusal(asked)) return asked;
  const headers = [...ownHeaders(context.headers, protocol), ...asked.headers];
  return {
    request: {
      path: asked.path,
      headers: withCredential(headers, backend),
      body: [asked.body],
      firstByteMs: backend.firstByteMs ?? context.firstByteMs,
    },
    reading: {
      translation,
      isStream: chat.isStream,
      options: streamOptionsOf(chat, upstreamModel, context),
    },
  };
}

const streamOptionsOf = (
  chat: Chat,
  model: string,
  { request, now }: OutboundContext,
): StreamOptions => ({
  requestId: request.exchange.requestId,
  model,
  created: Math.floor(now() / 1000),
  singleToolCall: chat.parallelToolCalls === false,
  includesUsage: chat.includesUsage,
});

/** A translation says what it sends and takes; what is meant for one vendor is no other's business. */
function ownHeaders(headers: readonly string[], protocol: Protocol): readonly string[] {
  const isLeftOut = (name: string): boolean =>
    name === 'accept' ||
    name === 'content-type' ||
    name.startsWith('openai-') ||
    (name === 'anthropic-beta' && protocol !== 'anthropic');
  return headers.filter((_, index) => !isLeftOut(headers[index - (index % 2)] ?? ''));
}

/** The client's own header of the credential's name, if any, must not stand before it. */
function withCredential(
  headers: readonly string[],
  { credentialHeaders }: CompiledBackend,
): string[] {
  const [name] = credentialHeaders;
  const kept =
    name === undefined || !headers.includes(name)
      ? headers
      : headers.filter((_, index) => headers[index - (index % 2)] !== name);
  return [...kept, ...credentialHeaders];
}
