// Parses a request of the Messages API into the form that all translations read, so that any
// backend can serve it (specification, "Data plane": /v1/messages; wire reference 1.2). Features
// that the backend does not support are refused by name, never dropped silently.

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
 * `protocol` is the backend's, for error messages. `dropsTools` omits tools that only the vendor
 * runs. Refuses malformed bodies (400) and features that only the vendor provides (501).
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
    // The last event of a stream always has them.
    includesUsage: true,
  };
  return refusals[0] ?? chat;
}

/** Members that ask for work on the vendor's side. */
export const refusedMembers = ['container', 'mcp_servers', 'thread'] as const;

/** Known members without effect on the prompt. */
export const droppedMembers = [
  'cache_control', // vendors cache in different ways
  'context_management', // limits the context; everything it would remove is sent
  'diagnostics',
  'fallbacks', // routing rules of the gateway choose the backend
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

/** The API has no default. Zero only warms the vendor's cache and returns no answer. */
function readMaxTokens(field: Field, protocol: Protocol): number | null {
  const count = readCount(field, 'max_tokens');
  const isGiven = (member(field.object, 'max_tokens') ?? null) !== null;
  if (!isGiven) field.refusals.push(invalid('max_tokens', 'is required'));
  if (count === 0) field.refusals.push(unsupported(protocol, 'max_tokens of 0', 'max_tokens'));
  return count;
}

/** An empty stop sequence has no effect. */
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
