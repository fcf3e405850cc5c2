// A model's call of a function, and the result of one, as the parts that the API wants them back in.
// Models from Gemini 3 on refuse a turn whose first call lacks the signature that it came with
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

/** What a result must know of the call that it answers; `order` is its place among those of its turn. */
export type KnownCall = Readonly<{ name: string; order: number }>;

/** The vendor's own word for "this call has no signature": of another model's, or of a client that lost it. */
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

/** As it was handed on with a call or with a message; null when it does not come back. */
export function signatureIn(extraContent: JsonObject | null): string | null {
  const google = extraContent === null ? null : objectOf(extraContent, 'google');
  return (google === null ? null : textOf(google, 'thought_signature')) || null;
}

/** `beside` are media for models that take none within a result. */
export type PlacedResult = Readonly<{ order: number; part: Part; beside: readonly Part[] }>;

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/** Null, and refused, for a result of a call that nothing before it made: only the call has the name. */
export function resultOf(
  { toolCallId: id, parts, at }: ToolMessage,
  calls: ReadonlyMap<string, KnownCall>,
  { family, isVertex }: Target,
  refusals: Refusals,
): PlacedResult | null {
  const call = calls.get(id);
  if (call === undefined) {
    const expected = mustBe('the id of a tool call in a message before it', id);
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
  return { order: call.order, part: { functionResponse }, beside: isInside ? [] : media };
}

/**
 * The API takes objects alone. One with a `$ref` in it would be looked up among the result's own
 * media, and the request refused, so it goes as the text that it came as.
 */
function responseOf(text: string): JsonObject {
  const parsed = /^\s*\{/.test(text) && !text.includes('"$ref"') ? parseJson(text) : undefined;
  return isObject(parsed) ? parsed : { output: text };
}
