// Reads the tool calls of a message, or their deltas.

import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Null if the delta does not have it. Some servers send empty text instead. */
export type CallPiece = Readonly<{
  index: number | null;
  id: string | null;
  name: string | null;
  /** A JSON object as text, or a piece of it. */
  arguments: string;
  /** Opaque data that the vendor expects back with the call. */
  extraContent: JsonObject | null;
}>;

/** `delta` may be a message. The API's older form has only one call. */
export function readCalls(delta: JsonObject): readonly CallPiece[] {
  const calls = listOf(delta, 'tool_calls').filter(isObject);
  const older = objectOf(delta, 'function_call');
  return [...calls, ...(older === null ? [] : [{ function: older }])].map(readPiece);
}

function readPiece(call: JsonObject): CallPiece {
  const described = objectOf(call, 'function') ?? {};
  const index = member(call, 'index');
  return {
    index: typeof index === 'number' ? index : null,
    id: textOf(call, 'id') || null,
    name: textOf(described, 'name') || null,
    arguments: argumentsOf(described),
    extraContent: objectOf(call, 'extra_content'),
  };
}

/** Some servers send the object itself. */
function argumentsOf(described: JsonObject): string {
  const value = member(described, 'arguments');
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

/**
 * Arguments that are not a JSON object, for example because they were cut off, are kept as text, so
 * that the client can report the problem to the model.
 */
export function inputOf(text: string): JsonObject {
  if (text.trim() === '') return {};
  const input = parseJson(text);
  const unwrapped = typeof input === 'string' ? parseJson(input) : input;
  return isObject(unwrapped) ? unwrapped : { [invalidInput]: text };
}

const invalidInput = 'invalid_arguments';

/** An id that any backend accepts in the next turn. The Messages API restricts the characters. */
export const toolUseId = (id: string | null, requestId: string, ordinal: number): string =>
  (id ?? `toolu_${requestId}_${ordinal}`).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
