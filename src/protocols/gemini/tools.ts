// Translates the functions and the tool choice of a chat to function declarations and their mode.

import type { Chat, ChatTool } from '../chat.ts';
import type { JsonObject } from '../json.ts';
import type { Refusals } from '../refusal.ts';
import { schemaOf } from './schema.ts';
import type { Target } from './target.ts';

/**
 * If a free choice allows some functions by name, only those are sent: only a forced choice can
 * name them.
 */
export function declarationsOf(
  { tools, toolChoice }: Chat,
  refusals: Refusals,
): readonly JsonObject[] {
  const names = (toolChoice?.mode === 'auto' ? toolChoice.names : null) ?? [];
  const declarations = tools.map((tool, index) => declarationOf(tool, index, refusals));
  return declarations.filter(({ name }) => names.length === 0 || names.includes(name));
}

function declarationOf(
  { name, description, parameters }: ChatTool,
  index: number,
  refusals: Refusals,
) {
  const at = `tools[${index}].function.parameters`;
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    ...(parameters !== null && {
      parametersJsonSchema: { ...schemaOf(parameters, at, refusals), type: 'object' },
    }),
  };
}

/** Null for the API's default. */
export function callingConfigOf(
  { tools, toolChoice }: Chat,
  { family, isVertex }: Target,
): JsonObject | null {
  if (tools.length === 0) return null;
  switch (toolChoice?.mode) {
    case 'none':
      return { mode: 'NONE' };
    case 'required': {
      const names = toolChoice.names ?? [];
      return { mode: 'ANY', ...(names.length > 0 && { allowedFunctionNames: names }) };
    }
    case 'auto':
    case undefined:
      if (isStrict(tools) && family !== 'plain' && !isVertex) return { mode: 'VALIDATED' };
      return toolChoice === null ? null : { mode: 'AUTO' };
  }
}

/**
 * The mode for a free choice with strict schemas. The API supports it for all functions or none.
 */
const isStrict = (tools: readonly ChatTool[]): boolean =>
  tools.every(({ strict }) => strict === true);
