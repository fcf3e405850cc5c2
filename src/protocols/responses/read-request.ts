// Reads a request of the Responses API into the one shape that the translations of chats take, so that any backend can serve it
// (https://platform.openai.com/docs/api-reference/responses/create). Each request must carry its whole conversation: nothing is stored.

import type { Chat, ChatResponseFormat } from '../chat.ts';
import { reasoningEfforts } from '../chat.ts';
import { isObject, listOf, member, parseJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { mustBe, readBoolean, readChoice, readCount, readNumber } from '../read-fields.ts';
import { readObject, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { readInput } from './read-input.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import type { ToolNames, ToolOptions } from './read-tools.ts';
import type { Signer } from './seal.ts';

export type ResponsesRequest = Readonly<{
  chat: Chat;
  names: ToolNames;
  /** The members of the request that its answer repeats. */
  echo: JsonObject;
}>;

/**
 * `signer` is the backend, and `dropsTools` leaves out tools that it cannot run. Refused: members of the wrong form or of stored state
 * (400), and what only the vendor can do (501).
 */
export function readResponsesRequest(
  body: Buffer,
  signer: Signer,
  { dropsTools }: ToolOptions = {},
): ResponsesRequest | ProtocolRefusal {
  const { protocol } = signer;
  const object = parseJson(body.toString('utf8'));
  if (!isObject(object)) return { ...invalid('body', 'must be a JSON object'), param: null };
  const refusals: Refusals = [];
  const field: Field = { object, at: '', refusals };
  refuseStored(field);
  refuseUnsupported(field, signer);
  const { tools, names } = readTools(field, { protocol, dropsTools });
  const reasoning = readObject(field, 'reasoning') ?? {};
  const chat: Chat = {
    messages: readInput(field, signer),
    tools,
    toolChoice: readToolChoice(field, protocol),
    parallelToolCalls: readBoolean(field, 'parallel_tool_calls'),
    maxTokens: readCount(field, 'max_output_tokens'),
    temperature: readNumber(field, 'temperature', { min: 0, max: 2 }),
    topP: readNumber(field, 'top_p', { min: 0, max: 1 }),
    topK: null,
    frequencyPenalty: null,
    presencePenalty: null,
    stop: [],
    responseFormat: readFormat(field),
    reasoningEffort: readChoice(
      { object: reasoning, at: 'reasoning', refusals },
      'effort',
      reasoningEfforts,
    ),
    user: readText(field, 'safety_identifier') ?? readText(field, 'user'),
    isStream: readBoolean(field, 'stream') ?? false,
    // The last event of a stream has them, whether the client asks or not.
    includesUsage: true,
  };
  return refusals[0] ?? { chat, names, echo: echoOf(object) };
}

/** State that the vendor keeps. A client that sends the whole conversation needs none of it. */
export const storedMembers = ['previous_response_id', 'conversation'] as const;

function refuseStored({ object, refusals }: Field): void {
  for (const name of storedMembers) {
    if ((member(object, name) ?? null) === null) continue;
    const message = 'is not supported: gw stores no responses, so send the whole conversation';
    refusals.push(invalid(name, `${message} as input`));
  }
}

/** Work that only the vendor does, by the members that ask for it. */
export const refusedMembers = ['background', 'prompt', 'top_logprobs'] as const;

/** Known to the API, and left out: none of them is part of what the model is asked. */
export const droppedMembers = [
  'client_metadata',
  'context_management', // makes room in a conversation; what it would remove is sent
  'max_tool_calls', // counts calls of tools that the vendor runs
  'metadata', // for the vendor's own lists of what was stored
  'prompt_cache_key', // each vendor caches in its own way
  'prompt_cache_retention',
  'service_tier',
  'store', // nothing is stored
  'stream_options',
  'truncation',
] as const;

function refuseUnsupported({ object, refusals }: Field, { protocol }: Signer): void {
  for (const name of refusedMembers) {
    const value = member(object, name) ?? null;
    if (value === null || value === false || value === 0) continue;
    refusals.push(unsupported(protocol, name, name));
  }
  if (!listOf(object, 'include').includes('message.output_text.logprobs')) return;
  refusals.push(unsupported(protocol, 'logprobs', 'include'));
}

function readFormat(field: Field): ChatResponseFormat {
  const { refusals } = field;
  const text = { object: readObject(field, 'text') ?? {}, at: 'text', refusals };
  const object = readObject(text, 'format');
  if (object === null) return { kind: 'text' };
  const format = { object, at: 'text.format', refusals };
  const kind = readChoice(format, 'type', ['text', 'json_object', 'json_schema']);
  if (kind !== 'json_schema') return { kind: kind ?? 'text' };
  const schema = readObject(format, 'schema');
  if (schema === null) {
    refusals.push(invalid('text.format.schema', mustBe('an object', schema)));
  }
  return { kind, schema };
}

/** What the answer says of a member that the request leaves out. */
const defaults: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
};

const echoOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, member(object, name) ?? value]),
  );
