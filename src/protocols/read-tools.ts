// Reads the functions and the tool choice of a chat request (wire reference 2.1).

import type { Protocol } from '../lib/vocabulary.ts';
import type { ChatTool, ChatToolChoice } from './chat.ts';
import { isObject, member } from './json.ts';
import {
  below,
  mustBe,
  readBoolean,
  readChoice,
  readName,
  readObject,
  readObjects,
  readText,
} from './read-fields.ts';
import type { Field } from './read-fields.ts';
import { invalid, unsupported } from './refusal.ts';

export function readTools(field: Field, protocol: Protocol): readonly ChatTool[] {
  return readObjects(field, 'tools').flatMap((tool) => {
    const described = functionOf(tool, protocol);
    if (described === null) return [];
    return [
      {
        name: readName(described, 'name'),
        description: readText(described, 'description'),
        parameters: readObject(described, 'parameters'),
        strict: readBoolean(described, 'strict'),
      },
    ];
  });
}

export function readToolChoice(field: Field, protocol: Protocol): ChatToolChoice | null {
  const value = member(field.object, 'tool_choice') ?? null;
  if (value === null) return null;
  if (!isObject(value)) {
    const mode = readChoice(field, 'tool_choice', modes);
    return mode === null ? null : { mode, names: null };
  }
  const choice = { object: value, at: 'tool_choice', refusals: field.refusals };
  if (value['type'] === 'allowed_tools') return readAllowedTools(choice, protocol);
  const described = functionOf(choice, protocol);
  return described === null ? null : { mode: 'required', names: [readName(described, 'name')] };
}

const modes = ['auto', 'none', 'required'] as const;

function readAllowedTools(choice: Field, protocol: Protocol): ChatToolChoice | null {
  const { refusals } = choice;
  const at = below(choice.at, 'allowed_tools');
  const object = readObject(choice, 'allowed_tools');
  if (object === null) {
    refusals.push(invalid(at, mustBe('an object', object)));
    return null;
  }
  const allowed = { object, at, refusals };
  const names = readObjects(allowed, 'tools').flatMap((tool) => {
    const described = functionOf(tool, protocol);
    return described === null ? [] : [readName(described, 'name')];
  });
  return { mode: readChoice(allowed, 'mode', ['auto', 'required']) ?? 'auto', names };
}

/** Refuses tools of other types, and returns null. */
function functionOf(tool: Field, protocol: Protocol): Field | null {
  const { object, at, refusals } = tool;
  const type = readText(tool, 'type') ?? 'function';
  if (type !== 'function') {
    refusals.push(unsupported(protocol, `tools of type ${type}`, below(at, 'type')));
    return null;
  }
  const described = readObject(tool, 'function');
  if (described !== null) return { object: described, at: below(at, 'function'), refusals };
  refusals.push(invalid(below(at, 'function'), mustBe('an object', member(object, 'function'))));
  return null;
}
