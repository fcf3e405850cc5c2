// Builds the upstream request for the Responses API: the original request when the backend supports that API, otherwise a
// chat completion in the backend's protocol.

import { commonProtocol } from '../../protocols/facts.ts';
import { writeChat } from '../../protocols/openai/write-chat.ts';
import { translations } from '../../protocols/protocol.ts';
import { isProtocolRefusal } from '../../protocols/refusal.ts';
import type { ProtocolRefusal } from '../../protocols/refusal.ts';
import { readResponsesRequest } from '../../protocols/responses/read-request.ts';
import { responsesOfChat, responsesOver } from '../../protocols/responses/responses.ts';
import { withoutSeals } from '../../protocols/responses/seal.ts';
import { spliceBody } from '../body/splice.ts';
import type { BackendState } from '../backend-state.ts';
import type { Sending } from '../sending.ts';
import { chatRequest, translated, upstreamRequest } from './outbound-request.ts';
import type { Outbound } from './outbound-request.ts';

export function responsesTo(state: BackendState, sending: Sending): Outbound | ProtocolRefusal {
  const { backend } = state;
  const { protocol, upstreamModel } = backend;
  if (protocol === commonProtocol && !state.lacksResponses) return passThrough(state, sending);
  const { walk } = sending;
  const signer = { protocol, model: upstreamModel };
  const read = readResponsesRequest(walk.body, signer, backend);
  if (isProtocolRefusal(read)) return read;
  const { chat, names, echo } = read;
  const options = {
    requestId: walk.exchange.requestId,
    model: walk.peeked.model,
    created: Math.floor(walk.context.now() / 1000),
    echo,
    names,
    signer,
  };
  const ask = translations[protocol];
  if (ask !== undefined) {
    const outbound = translated(backend, sending, {
      chat,
      ask,
      answer: responsesOver(ask, options),
    });
    return isProtocolRefusal(outbound) ? renamed(outbound) : outbound;
  }
  const body = writeChat(chat, upstreamModel);
  if (isProtocolRefusal(body)) return body;
  return chatRequest(backend, sending, { chat, body, answer: responsesOfChat(options) });
}

/** Translations use the name that the token limit has in a chat. */
const renamed = (refusal: ProtocolRefusal): ProtocolRefusal =>
  refusal.param === 'max_tokens'
    ? { ...refusal, param: 'max_output_tokens', message: `max_output_${refusal.message.slice(4)}` }
    : refusal;

/** Replaces only the model name, and removes content that other vendors sealed in this conversation. */
function passThrough({ backend }: BackendState, sending: Sending): Outbound {
  const { upstreamModel: model, upstreamModelJson: modelJson, basePath } = backend;
  const { walk, headers } = sending;
  const { body, peeked, proxied } = walk;
  const unsealed = withoutSeals(body, model);
  const spliced =
    unsealed === null
      ? spliceBody(body, peeked, { model, modelJson, includeUsage: false })
      : [unsealed];
  const path = basePath + proxied.path;
  return {
    request: upstreamRequest(backend, sending, { path, headers, body: spliced }),
    reading: null,
    mayLackRoute: true,
  };
}
