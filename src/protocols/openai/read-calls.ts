// The calls of tools in a message of a chat, or the pieces of calls in a delta.

import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Null is what a piece does not tell; servers that have nothing to tell may write an empty text. */
export type CallPiece = Readonly<{
  index: number | null;
  id: string | null;
  name: string | null;
  /** A JSON object as text, or a piece of it. */
  arguments: string;
  /** What a vendor wants back with the call. */
  extraContent: JsonObject | null;
}>;

/** `said` is a message, or the delta of a chunk. The API's older form had one call only. */
export function readCalls(said: JsonObject): readonly CallPiece[] {
  const calls = listOf(said, 'tool_calls').filter(isObject);
  const older = objectOf(said, 'function_call');
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

/** A server may give the object itself. */
function argumentsOf(described: JsonObject): string {
  const value = member(described, 'arguments');
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

/**
 * What a model wrote that is no JSON object, as when it was cut off, is kept as text: with it the client can
 * tell the model what was wrong.
 */
export function inputOf(text: string): JsonObject {
  if (text.trim() === '') return {};
  const input = parseJson(text);
  const unwrapped = typeof input === 'string' ? parseJson(input) : input;
  return isObject(unwrapped) ? unwrapped : { [invalidInput]: text };
}

const invalidInput = 'invalid_arguments';

/**
 * An id that this answer is known by in the next turn, whichever backend serves it: the Messages API takes
 * no other characters.
 */
export const toolUseId = (id: string | null, requestId: string, ordinal: number): string =>
  (id ?? `toolu_${requestId}_${ordinal}`).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
