// Builds the upstream request of one attempt: the client's request with the upstream model name, or its translation to the
// backend's protocol (Gateway rules 11 and 14).

import { translations } from '../../protocols/protocol.ts';
import { readChat } from '../../protocols/read-chat.ts';
import { isProtocolRefusal } from '../../protocols/refusal.ts';
import type { ProtocolRefusal } from '../../protocols/refusal.ts';
import { tracedHeaders } from '../../telemetry/trace.ts';
import type { BackendState } from '../backend-state.ts';
import { messagesTo } from './outbound-messages.ts';
import { translated, upstreamRequest } from './outbound-request.ts';
import { responsesTo } from './outbound-responses.ts';
import type { Outbound } from './outbound-request.ts';
import type { Sending } from '../sending.ts';
import { spliceBody } from '../body/splice.ts';
import type { Exchange } from '../transport/boundary.ts';

/** The same array for requests with the same headers, if the client repeats its head. */
export function upstreamHeaders(exchange: Exchange): readonly string[] {
  const { trace } = exchange;
  const forwarded = exchange.forwardedHeaders();
  const headers = trace === null ? forwarded : tracedHeaders(forwarded, trace);
  if (exchange.header('content-type') !== undefined) return headers;
  return headers.concat('content-type', 'application/json');
}

export function outboundTo(state: BackendState, sending: Sending): Outbound | ProtocolRefusal {
  const { backend } = state;
  const { walk, headers } = sending;
  const { proxied, body, peeked, caller } = walk;
  if (proxied.messages === 'served') return messagesTo(backend, sending);
  if (proxied.responses) return responsesTo(state, sending);
  const translation = translations[backend.protocol];
  if (translation !== undefined) {
    const chat = readChat(body, backend.protocol);
    if (isProtocolRefusal(chat)) return chat;
    return translated(backend, sending, { chat, ask: translation, answer: translation });
  }
  const spliced = spliceBody(body, peeked, {
    model: backend.upstreamModel,
    modelJson: backend.upstreamModelJson,
    includeUsage: proxied.knowsIncludeUsage && caller.principalId !== null,
  });
  const path = backend.basePath + proxied.path;
  return {
    request: upstreamRequest(backend, sending, { path, headers, body: spliced }),
    reading: null,
  };
}
