// Parses a request of the Responses API into the form that all translations read, so that any
// backend can serve it (https://platform.openai.com/docs/api-reference/responses/create). Each
// request must carry its whole conversation, because nothing is stored.

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
  /** The response repeats these members of the request. */
  echo: JsonObject;
}>;

/**
 * `signer` is the backend. `dropsTools` omits tools that it cannot run. Refuses malformed members
 * and stored state (400), and features that only the vendor provides (501).
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
    // The last event of a stream always has them.
    includesUsage: true,
  };
  return refusals[0] ?? { chat, names, echo: echoOf(object) };
}

/**
 * References to state stored by the vendor. Clients that send the whole conversation do not need
 * them.
 */
export const storedMembers = ['previous_response_id', 'conversation'] as const;

function refuseStored({ object, refusals }: Field): void {
  for (const name of storedMembers) {
    if ((member(object, name) ?? null) === null) continue;
    const message = 'is not supported: gw stores no responses, so send the whole conversation';
    refusals.push(invalid(name, `${message} as input`));
  }
}

/** Members that ask for work that only the vendor does. */
export const refusedMembers = ['background', 'prompt', 'top_logprobs'] as const;

/** Known members without effect on the prompt. */
export const droppedMembers = [
  'client_metadata',
  'context_management', // limits the context; everything it would remove is sent
  'max_tool_calls', // limits calls of tools that the vendor runs
  'metadata', // metadata for stored responses
  'prompt_cache_key', // vendors cache in different ways
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

/** For members that the request omits. */
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
