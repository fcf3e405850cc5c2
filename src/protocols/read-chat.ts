// Parses a chat completion request once for all translations (wire reference 2.1). Refuses features
// that only the chat protocol has.

import type { Protocol } from '../lib/vocabulary.ts';
import { reasoningEfforts } from './chat.ts';
import type { Chat, ChatResponseFormat } from './chat.ts';
import { isObject, parseJson } from './json.ts';
import { readBoolean, readChoice, readCount, readNumber, readObject } from './read-fields.ts';
import { mustBe, readText } from './read-fields.ts';
import type { Field } from './read-fields.ts';
import { readMessages } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import { invalid } from './refusal.ts';
import type { ProtocolRefusal, Refusals } from './refusal.ts';
import { refuseUntranslatable } from './untranslatable.ts';

/**
 * `protocol` is the backend's, for error messages. Refuses malformed bodies and untranslatable
 * features.
 */
export function readChat(body: Buffer, protocol: Protocol): Chat | ProtocolRefusal {
  const object = parseJson(body.toString('utf8'));
  if (!isObject(object)) {
    return { ...invalid('body', 'must be a JSON object'), param: null };
  }
  const refusals: Refusals = [];
  const field: Field = { object, at: '', refusals };
  refuseUntranslatable(field, protocol);
  const streamOptions = readObject(field, 'stream_options') ?? {};
  const chat: Chat = {
    messages: readMessages(field, protocol),
    tools: readTools(field, protocol),
    toolChoice: readToolChoice(field, protocol),
    parallelToolCalls: readBoolean(field, 'parallel_tool_calls'),
    maxTokens: readCount(field, 'max_completion_tokens') ?? readCount(field, 'max_tokens'),
    temperature: readNumber(field, 'temperature', { min: 0, max: 2 }),
    topP: readNumber(field, 'top_p', { min: 0, max: 1 }),
    topK: readCount(field, 'top_k'),
    frequencyPenalty: readNumber(field, 'frequency_penalty', { min: -2, max: 2 }),
    presencePenalty: readNumber(field, 'presence_penalty', { min: -2, max: 2 }),
    stop: readStop(field),
    responseFormat: readResponseFormat(field),
    reasoningEffort: readChoice(field, 'reasoning_effort', reasoningEfforts),
    user: readText(field, 'user') ?? readText(field, 'safety_identifier'),
    isStream: readBoolean(field, 'stream') ?? false,
    includesUsage:
      readBoolean({ object: streamOptions, at: 'stream_options', refusals }, 'include_usage') ??
      false,
  };
  return refusals[0] ?? chat;
}

/** An empty stop sequence has no effect. */
function readStop({ object, refusals }: Field): readonly string[] {
  const value = object['stop'] ?? [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((sequence, index) => {
    if (typeof sequence === 'string') return sequence === '' ? [] : [sequence];
    const at = Array.isArray(value) ? `stop[${index}]` : 'stop';
    refusals.push(invalid(at, mustBe('a string', sequence)));
    return [];
  });
}

function readResponseFormat(field: Field): ChatResponseFormat {
  const format = readObject(field, 'response_format');
  if (format === null) return { kind: 'text' };
  const { refusals } = field;
  const inside = { object: format, at: 'response_format', refusals };
  const type = readChoice(inside, 'type', ['text', 'json_object', 'json_schema']);
  if (type === null) {
    refusals.push(invalid('response_format.type', mustBe('a string', format['type'])));
  }
  if (type !== 'json_schema') return { kind: type ?? 'text' };
  const described = readObject(inside, 'json_schema');
  if (described === null) {
    refusals.push(invalid('response_format.json_schema', mustBe('an object', described)));
  }
  const at = 'response_format.json_schema';
  return { kind: type, schema: readObject({ object: described ?? {}, at, refusals }, 'schema') };
}
