// Reads the tools and the tool choice (wire reference 1.4). The vendor's own tools have a dated
// type and no schema.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatTool, ChatToolChoice } from '../chat.ts';
import {
  below,
  readBoolean,
  readChoice,
  readName,
  readObject,
  readObjects,
  readText,
} from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';

export function readTools(
  field: Field,
  { protocol, dropsTools }: Readonly<{ protocol: Protocol; dropsTools: boolean }>,
): readonly ChatTool[] {
  return readObjects(field, 'tools').flatMap((tool) => {
    const type = readText(tool, 'type') ?? 'custom';
    if (type !== 'custom' && dropsTools) return [];
    if (type !== 'custom') {
      tool.refusals.push(unsupported(protocol, toolsOfType(type), below(tool.at, 'type')));
      return [];
    }
    return [
      {
        name: readName(tool, 'name'),
        description: readText(tool, 'description'),
        parameters: readObject(tool, 'input_schema') ?? emptySchema,
        strict: readBoolean(tool, 'strict'),
      },
    ];
  });
}

/** In an error message. */
export const typeCharactersMax = 60;

/** The message also names the model's field that drops such tools. */
export const toolsOfType = (type: string): string =>
  `tools of type ${type.slice(0, typeCharactersMax)}; drop_unsupported_tools of the model leaves them out`;

const emptySchema = { type: 'object', properties: {} };

const choices = ['auto', 'any', 'tool', 'none'] as const;

type Choice = Readonly<{ toolChoice: ChatToolChoice | null; isSingle: boolean }>;

/** `isSingle` is true if the model may call only one tool at a time. */
export function readToolChoice(field: Field): Choice {
  const object = readObject(field, 'tool_choice');
  if (object === null) return { toolChoice: null, isSingle: false };
  const choice = { object, at: 'tool_choice', refusals: field.refusals };
  const isSingle = readBoolean(choice, 'disable_parallel_tool_use') ?? false;
  const type = readChoice(choice, 'type', choices);
  if (type === null) field.refusals.push(invalid('tool_choice.type', 'is required'));
  switch (type) {
    case null:
    case 'auto':
      return { toolChoice: { mode: 'auto', names: null }, isSingle };
    case 'none':
      return { toolChoice: { mode: 'none', names: null }, isSingle };
    case 'any':
      return { toolChoice: { mode: 'required', names: null }, isSingle };
    case 'tool':
      return { toolChoice: { mode: 'required', names: [readName(choice, 'name')] }, isSingle };
  }
}
