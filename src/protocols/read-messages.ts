// Reads the messages of a chat request: roles, content as text or parts, tool calls and their
// results (wire reference 2.1). Drops reasoning that a client sends back: vendors only accept what
// they signed themselves.

import type { Protocol } from '../lib/vocabulary.ts';
import type { ChatMessage, ChatPart, ChatToolCall } from './chat.ts';
import { isObject, member, objectOf, parseJson } from './json.ts';
import { below, mustBe, readName, readObject, readObjects, readText } from './read-fields.ts';
import type { Field } from './read-fields.ts';
import { readParts, textPart } from './read-parts.ts';
import { invalid, unsupported } from './refusal.ts';

export function readMessages(field: Field, protocol: Protocol): readonly ChatMessage[] {
  const messages = readObjects(field, 'messages').flatMap(
    (message) => readMessage(message, protocol) ?? [],
  );
  const isGiven = Array.isArray(member(field.object, 'messages'));
  if (!isGiven || (messages.length === 0 && field.refusals.length === 0)) {
    const value = member(field.object, 'messages');
    field.refusals.push(invalid('messages', mustBe('an array of at least one message', value)));
  }
  return messages;
}

function readMessage(message: Field, protocol: Protocol): ChatMessage | null {
  const { object, at, refusals } = message;
  const role = member(object, 'role');
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', at, parts: readParts(message, protocol) };
    case 'user':
      return { role, at, parts: readParts(message, protocol) };
    case 'assistant':
      refuseOfEarlier(message, protocol);
      return {
        role,
        at,
        parts: [...readParts(message, protocol), ...readRefusal(message)],
        toolCalls: readToolCalls(message, protocol),
        extraContent: objectOf(object, 'extra_content'),
      };
    case 'tool': {
      const toolCallId = readName(message, 'tool_call_id');
      return { role, at, toolCallId, parts: readParts(message, protocol) };
    }
    case 'function':
      refusals.push(unsupported(protocol, 'messages of role function', below(at, 'role')));
      return null;
    default: {
      const roles = 'one of system, developer, user, assistant, tool';
      refusals.push(invalid(below(at, 'role'), mustBe(roles, role)));
      return null;
    }
  }
}

/** Parts of an earlier answer that only one vendor understands. */
const vendorOnly = [
  ['function_call', 'the deprecated function_call of a message'],
  ['audio', 'the audio of an earlier answer'],
] as const;

function refuseOfEarlier({ object, at, refusals }: Field, protocol: Protocol): void {
  for (const [name, feature] of vendorOnly) {
    if ((member(object, name) ?? null) === null) continue;
    refusals.push(unsupported(protocol, feature, below(at, name)));
  }
}

/** A refusal is in its own member, and the content is null. */
const readRefusal = (message: Field): readonly ChatPart[] =>
  textPart(readText(message, 'refusal') ?? '', below(message.at, 'refusal'));

function readToolCalls(message: Field, protocol: Protocol): readonly ChatToolCall[] {
  return readObjects(message, 'tool_calls').flatMap((call) => {
    const { object, at, refusals } = call;
    const type = readText(call, 'type') ?? 'function';
    if (type !== 'function') {
      refusals.push(unsupported(protocol, `tool calls of type ${type}`, below(at, 'type')));
      return [];
    }
    const place = below(at, 'function');
    const described = readObject(call, 'function');
    if (described === null) {
      refusals.push(invalid(place, mustBe('an object', described)));
      return [];
    }
    const inside = { object: described, at: place, refusals };
    return [
      {
        id: readName(call, 'id'),
        name: readName(inside, 'name'),
        input: readArguments(inside),
        extraContent: objectOf(object, 'extra_content'),
      },
    ];
  });
}

/** Some clients send an empty string for a call without arguments. */
function readArguments(call: Field) {
  const text = readText(call, 'arguments') ?? '';
  const input = text.trim() === '' ? {} : parseJson(text);
  if (isObject(input)) return input;
  call.refusals.push(
    invalid(below(call.at, 'arguments'), mustBe('a JSON object in a string', text)),
  );
  return {};
}
