// What one attempt sends: the client's request with the model's name written in, or the chat that
// it asks for in the words of the backend's own protocol (Gateway rules 11 and 14).

import { translations } from '../protocols/protocol.ts';
import { readChat } from '../protocols/read-chat.ts';
import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { ChatTranslation } from '../protocols/translation.ts';
import type { CompiledBackend } from '../snapshot/compile/models.ts';
import { tracedHeaders } from '../telemetry/trace.ts';
import { messagesTo } from './outbound-messages.ts';
import { ownHeaders, streamOptionsOf, upstreamRequest } from './outbound-request.ts';
import type { Outbound, OutboundContext } from './outbound-request.ts';
import { spliceBody } from './splice.ts';
import type { Exchange } from './transport/boundary.ts';

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
  if (context.proxied.messages === 'served') return messagesTo(backend, context);
  const translation = translations[backend.protocol];
  if (translation !== undefined) return translated(translation, backend, context);
  const { proxied, headers, body, request } = context;
  const spliced = spliceBody(body, request.peeked, {
    model: backend.upstreamModel,
    modelJson: backend.upstreamModelJson,
    includeUsage: proxied.knowsIncludeUsage && request.caller.principalId !== null,
  });
  const path = backend.basePath + proxied.path;
  return {
    request: upstreamRequest(backend, context, { path, headers, body: spliced }),
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
    request: upstreamRequest(backend, context, { path: asked.path, headers, body: [asked.body] }),
    reading: {
      translation,
      isStream: chat.isStream,
      options: streamOptionsOf(chat, upstreamModel, context),
    },
  };
}
