// Translates function calls and their results to the parts that the API expects back. Gemini 3 and
// later reject a turn whose first call lacks its signature
// (https://ai.google.dev/gemini-api/docs/thought-signatures).

import type { ChatMessage, ChatToolCall } from '../chat.ts';
import { isObject, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { mustBe } from '../read-fields.ts';
import { invalid } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';
import { mediaPart } from './content.ts';
import type { Part } from './content.ts';
import type { Target } from './target.ts';

/** A result needs these facts of its call. `order` is the call's position in the turn. */
export type KnownCall = Readonly<{ name: string; order: number }>;

/**
 * The vendor's placeholder for a call without a signature, for example from another model or a
 * client that dropped it.
 */
const signatureDummy = 'skip_thought_signature_validator';

export function callPart(
  { id, name, input, extraContent }: ChatToolCall,
  { family, isVertex }: Target,
  isFirst: boolean,
): Part {
  const given = signatureIn(extraContent);
  const dummy = isFirst && family === 'level' ? { thoughtSignature: signatureDummy } : {};
  return {
    functionCall: { ...(!isVertex && { id }), name, args: input },
    ...(given === null ? dummy : { thoughtSignature: given }),
  };
}

/** Null if the client did not send the signature back. */
export function signatureIn(extraContent: JsonObject | null): string | null {
  const google = extraContent === null ? null : objectOf(extraContent, 'google');
  return (google === null ? null : textOf(google, 'thought_signature')) || null;
}

/** `mediaAfter` holds media for models that accept none within a result. */
export type PlacedResult = Readonly<{ order: number; part: Part; mediaAfter: readonly Part[] }>;

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/**
 * Refuses a result without a matching earlier call, and returns null: only the call knows the
 * function's name.
 */
export function resultOf(
  { toolCallId: id, parts, at }: ToolMessage,
  calls: ReadonlyMap<string, KnownCall>,
  { family, isVertex }: Target,
  refusals: Refusals,
): PlacedResult | null {
  const call = calls.get(id);
  if (call === undefined) {
    const expected = mustBe('the id of a tool call in an earlier message', id);
    refusals.push(invalid(`${at}.tool_call_id`, expected));
    return null;
  }
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const media = parts
    .map((part) => (part.kind === 'text' ? null : mediaPart(part, refusals)))
    .filter((part) => part !== null);
  const isInside = family === 'level' && media.length > 0;
  const functionResponse = {
    ...(!isVertex && { id }),
    name: call.name,
    response: responseOf(texts.join('\n')),
    ...(isInside && { parts: media }),
  };
  return { order: call.order, part: { functionResponse }, mediaAfter: isInside ? [] : media };
}

/**
 * The API only accepts objects. An object with a `$ref` is sent as text, because the API would
 * resolve it among the result's media and reject the request.
 */
function responseOf(text: string): JsonObject {
  const parsed = /^\s*\{/.test(text) && !text.includes('"$ref"') ? parseJson(text) : undefined;
  return isObject(parsed) ? parsed : { output: text };
}
