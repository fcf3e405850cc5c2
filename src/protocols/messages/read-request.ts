// Reads a request of the Messages API into the one shape that the translations of chats believe, so that
// any backend can serve it (specification, "Data plane": /v1/messages; wire reference 1.2). What the
// backend has no words for is refused by its name in the request, never lost.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { Chat } from '../chat.ts';
import { isObject, member, parseJson } from '../json.ts';
import { below, mustBe, readBoolean, readCount, readList, readNumber } from '../read-fields.ts';
import { readObject, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { readConversation } from './read-conversation.ts';
import { readResponseFormat } from './read-format.ts';
import { readEffort } from './read-thinking.ts';
import { readToolChoice, readTools } from './read-tools.ts';

/**
 * `protocol` is the backend's, for the refusals to name. `dropsTools` leaves out tools that only the vendor runs. Refused: a body that
 * is no JSON object, a member of the wrong shape (400), and what only the vendor itself can do (501).
 */
export function readMessagesRequest(
  body: Buffer,
  protocol: Protocol,
  { dropsTools = false }: Readonly<{ dropsTools?: boolean }> = {},
): Chat | ProtocolRefusal {
  const object = parseJson(body.toString('utf8'));
  if (!isObject(object)) return { ...invalid('body', 'must be a JSON object'), param: null };
  const refusals: Refusals = [];
  const field: Field = { object, at: '', refusals };
  refuseUntranslatable(field, protocol);
  const choice = readToolChoice(field);
  const chat: Chat = {
    messages: readConversation(field, protocol),
    tools: readTools(field, { protocol, dropsTools }),
    toolChoice: choice.toolChoice,
    parallelToolCalls: choice.isSingle ? false : null,
    maxTokens: readMaxTokens(field, protocol),
    temperature: readNumber(field, 'temperature', { min: 0, max: 1 }),
    topP: readNumber(field, 'top_p', { min: 0, max: 1 }),
    topK: readCount(field, 'top_k'),
    frequencyPenalty: null,
    presencePenalty: null,
    stop: readStop(field),
    responseFormat: readResponseFormat(field),
    reasoningEffort: readEffort(field),
    user: readUser(field),
    isStream: readBoolean(field, 'stream') ?? false,
    // The last event of a stream has them, whether the client asks or not.
    includesUsage: true,
  };
  return refusals[0] ?? chat;
}

/** Work that the vendor does on its own side, by the members that ask for it. */
export const refusedMembers = ['container', 'mcp_servers', 'thread'] as const;

/** Known to the API, and left out: none of them is part of what the model is asked. */
export const droppedMembers = [
  'cache_control', // each vendor caches in its own way
  'context_management', // makes room in a conversation; what it would remove is sent
  'diagnostics',
  'fallbacks', // the rules of the gateway decide what answers
  'inference_geo',
  'service_tier',
  'speed',
] as const;

function refuseUntranslatable({ object, refusals }: Field, protocol: Protocol): void {
  for (const name of refusedMembers) {
    const value = member(object, name) ?? null;
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    refusals.push(unsupported(protocol, name, name));
  }
}

/** The API has no default. Zero fills the vendor's cache and answers nothing. */
function readMaxTokens(field: Field, protocol: Protocol): number | null {
  const count = readCount(field, 'max_tokens');
  const isGiven = (member(field.object, 'max_tokens') ?? null) !== null;
  if (!isGiven) field.refusals.push(invalid('max_tokens', 'is required'));
  if (count === 0) field.refusals.push(unsupported(protocol, 'max_tokens of 0', 'max_tokens'));
  return count;
}

/** An empty sequence stops nothing. */
const readStop = (field: Field): readonly string[] =>
  readList(field, 'stop_sequences').flatMap((sequence, index) => {
    if (typeof sequence === 'string') return sequence === '' ? [] : [sequence];
    const at = `stop_sequences[${index}]`;
    field.refusals.push(invalid(at, mustBe('a string', sequence)));
    return [];
  });

function readUser(field: Field): string | null {
  const metadata = readObject(field, 'metadata');
  if (metadata === null) return null;
  const at = below(field.at, 'metadata');
  return readText({ object: metadata, at, refusals: field.refusals }, 'user_id');
}
