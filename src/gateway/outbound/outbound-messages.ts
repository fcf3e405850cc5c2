// Builds the upstream request for the Messages API (specification, "Data plane": /v1/messages): a chat completion in the
// backend's protocol, or the original request when the backend supports the Messages API.

import {
  messagesAsTheyAre,
  messagesOfChat,
  messagesOver,
} from '../../protocols/messages/messages.ts';
import { readMessagesRequest } from '../../protocols/messages/read-request.ts';
import type { MessageOptions } from '../../protocols/messages/response.ts';
import { withoutUnsignedThinking } from '../../protocols/messages/unsigned-thinking.ts';
import { writeChat } from '../../protocols/openai/write-chat.ts';
import { protocolFacts } from '../../protocols/facts.ts';
import { translations } from '../../protocols/protocol.ts';
import { isProtocolRefusal } from '../../protocols/refusal.ts';
import type { ProtocolRefusal } from '../../protocols/refusal.ts';
import type { CompiledBackend } from '../../snapshot/compile/models.ts';
import { chatRequest, translated, upstreamRequest } from './outbound-request.ts';
import type { Outbound } from './outbound-request.ts';
import type { Sending } from '../sending.ts';
import { spliceBody } from '../body/splice.ts';
import type { Walk } from '../walk.ts';

export function messagesTo(backend: CompiledBackend, sending: Sending): Outbound | ProtocolRefusal {
  const { walk } = sending;
  const { protocol, upstreamModel } = backend;
  if (protocolFacts[protocol].servesMessages) return passThrough(backend, sending);
  const chat = readMessagesRequest(walk.body, protocol, backend);
  if (isProtocolRefusal(chat)) return chat;
  const options = messageOptions(walk, chat.stop);
  const ask = translations[protocol];
  if (ask !== undefined) {
    return translated(backend, sending, { chat, ask, answer: messagesOver(ask, options) });
  }
  const body = writeChat(chat, upstreamModel);
  if (isProtocolRefusal(body)) return body;
  return chatRequest(backend, sending, { chat, body, answer: messagesOfChat(options) });
}

/** Replaces only the model name, and removes thinking blocks that the backend's vendor did not sign. */
function passThrough(backend: CompiledBackend, sending: Sending): Outbound {
  const { upstreamModel: model, upstreamModelJson: modelJson, basePath, protocol } = backend;
  const { walk } = sending;
  const { exchange, peeked, body, context } = walk;
  const signed = withoutUnsignedThinking(body, model);
  const spliced =
    signed === null
      ? spliceBody(body, peeked, { model, modelJson, includeUsage: false })
      : [signed];
  const given = exchange.header('anthropic-version');
  const kept = sending.headers.filter(
    (_, index) => !(sending.headers[index - (index % 2)] ?? '').startsWith('openai-'),
  );
  const path = `${basePath}${basePath.endsWith('/v1') ? '' : '/v1'}/messages`;
  const headers =
    given === undefined
      ? [...kept, ...protocolFacts[protocol].requestHeaders]
      : [...kept, 'anthropic-version', given];
  return {
    request: upstreamRequest(backend, sending, { path, headers, body: spliced }),
    reading: {
      translation: messagesAsTheyAre(messageOptions(walk, [])),
      isStream: peeked.isStream,
      options: {
        requestId: exchange.requestId,
        model,
        created: Math.floor(context.now() / 1000),
        singleToolCall: false,
        includesUsage: true,
      },
    },
  };
}

const messageOptions = ({ exchange, peeked }: Walk, stop: readonly string[]): MessageOptions => ({
  requestId: exchange.requestId,
  model: peeked.model,
  stopSequences: () => stop,
});
