// Reads the tools and the tool choice. A chat only has functions: a custom tool becomes a function
// with one text parameter, and functions of a namespace get its name as a prefix. The names
// determine how a call is returned to the client.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatTool, ChatToolChoice } from '../chat.ts';
import { isObject, member } from '../json.ts';
import { toolsOfType } from '../messages/read-tools.ts';
import { below, mustBe, readBoolean, readChoice, readName, readObject } from '../read-fields.ts';
import { readObjects, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';

export type NamedTool = Readonly<{ name: string; namespace: string | null; isCustom: boolean }>;

/** By the name that the model uses. */
export type ToolNames = ReadonlyMap<string, NamedTool>;

type NamedTools = Readonly<{ tools: readonly ChatTool[]; names: ToolNames }>;

/** `dropsTools` omits tools that only a vendor runs. Otherwise they are refused. */
export type ToolOptions = Readonly<{ dropsTools?: boolean | undefined }>;

export function readTools(
  field: Field,
  options: ToolOptions & Readonly<{ protocol: Protocol }>,
): NamedTools {
  const names = new Map<string, NamedTool>();
  const reading = { ...options, names };
  const tools = readObjects(field, 'tools').flatMap((tool) => {
    if (readText(tool, 'type') !== 'namespace') return readTool(tool, null, reading);
    const namespace = readName(tool, 'name');
    return readObjects(tool, 'tools').flatMap((inner) => readTool(inner, namespace, reading));
  });
  return { tools, names };
}

/** All vendors accept these characters in function names. */
const calledName = (name: string, namespace: string | null): string =>
  namespace === null ? name : `${namespace}__${name}`;

type Reading = ToolOptions & Readonly<{ names: Map<string, NamedTool>; protocol: Protocol }>;

function readTool(
  tool: Field,
  namespace: string | null,
  { names, protocol, dropsTools }: Reading,
): readonly ChatTool[] {
  const type = readText(tool, 'type');
  if (type !== 'function' && type !== 'custom') {
    if (type === null || dropsTools !== true) refuseType(tool, type, protocol);
    return [];
  }
  const name = readName(tool, 'name');
  const called = calledName(name, namespace);
  names.set(called, { name, namespace, isCustom: type === 'custom' });
  if (type === 'custom') return [customTool(tool, called)];
  return [
    {
      name: called,
      description: readText(tool, 'description'),
      parameters: readObject(tool, 'parameters') ?? emptySchema,
      strict: readBoolean(tool, 'strict'),
    },
  ];
}

const emptySchema = { type: 'object', properties: {} };

/** A tool that the API's vendor runs itself. */
function refuseType({ at, refusals }: Field, type: string | null, protocol: Protocol): void {
  const place = below(at, 'type');
  refusals.push(
    type === null
      ? invalid(place, mustBe('a string', type))
      : unsupported(protocol, toolsOfType(type), place),
  );
}

/** No other protocol can enforce a grammar, so it goes into the description. */
function customTool(tool: Field, name: string): ChatTool {
  const format = readObject(tool, 'format') ?? {};
  const { definition, syntax } = format;
  const grammar =
    typeof definition === 'string'
      ? [`The input must follow this ${String(syntax)} grammar:\n${definition}`]
      : [];
  return {
    name,
    description: [readText(tool, 'description') ?? '', ...grammar].join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [customInput]: { type: 'string' } },
      required: [customInput],
      additionalProperties: false,
    },
    strict: null,
  };
}

export const customInput = 'input';

export function readToolChoice(field: Field, protocol: Protocol): ChatToolChoice | null {
  const value = member(field.object, 'tool_choice') ?? null;
  if (value === null) return null;
  if (!isObject(value)) {
    const mode = readChoice(field, 'tool_choice', ['auto', 'none', 'required']);
    return mode === null ? null : { mode, names: null };
  }
  const choice = { object: value, at: 'tool_choice', refusals: field.refusals };
  if (value['type'] !== 'allowed_tools') {
    const name = readChosen(choice, protocol);
    return name === null ? null : { mode: 'required', names: [name] };
  }
  const mode = readChoice(choice, 'mode', ['auto', 'required']) ?? 'auto';
  const names = readObjects(choice, 'tools').flatMap((tool) => readChosen(tool, protocol) ?? []);
  return { mode, names };
}

function readChosen(choice: Field, protocol: Protocol): string | null {
  const type = readText(choice, 'type');
  if (type === 'function' || type === 'custom') return readCalledName(choice);
  refuseType(choice, type, protocol);
  return null;
}

/** In a tool choice, or in a call of an earlier answer. */
export const readCalledName = (field: Field): string =>
  calledName(readName(field, 'name'), readText(field, 'namespace'));
