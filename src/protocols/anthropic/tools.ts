// Translates the functions and the tool choice of a chat to the Messages API.

import type { Chat, ChatTool } from '../chat.ts';
import type { JsonObject } from '../json.ts';
import { closedSchema } from './schema.ts';

/**
 * If the choice names several functions, only those are sent: the API can only name one tool to
 * call.
 */
export function toolsOf({ tools, toolChoice }: Chat): readonly JsonObject[] {
  const names = toolChoice?.names ?? [];
  const isNamed = toolChoice?.mode === 'required' && names.length === 1;
  const isOffered = ({ name }: ChatTool): boolean =>
    isNamed || names.length === 0 || names.includes(name);
  return tools.filter(isOffered).map(toolOf);
}

function toolOf({ name, description, parameters, strict }: ChatTool): JsonObject {
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    ...(strict === true && { strict }),
    input_schema: inputSchema(parameters ?? {}, strict === true),
  };
}

function inputSchema(parameters: JsonObject, isStrict: boolean): JsonObject {
  const schema = { ...parameters, type: parameters['type'] ?? 'object' };
  return isStrict ? closedSchema(schema) : schema;
}

/** Null for the API's default. */
export function toolChoiceOf({ tools, toolChoice, parallelToolCalls }: Chat): JsonObject | null {
  if (tools.length === 0) return null;
  const single = parallelToolCalls === false && { disable_parallel_tool_use: true };
  const [name, ...others] = toolChoice?.names ?? [];
  switch (toolChoice?.mode) {
    case undefined:
      return single === false ? null : { type: 'auto', ...single };
    case 'auto':
      return { type: 'auto', ...single };
    case 'none':
      return { type: 'none' };
    case 'required':
      if (name === undefined || others.length > 0) return { type: 'any', ...single };
      return { type: 'tool', name, ...single };
  }
}
