// Converts the parts of an answer, complete or streamed, to what a chat can represent: text,
// thoughts and calls.

import { listOf, isObject, member, objectOf, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type AnswerPart =
  | Readonly<{ kind: 'text' | 'thought'; text: string }>
  /** Opaque data that the vendor expects back with the preceding text. */
  | Readonly<{ kind: 'signature'; more: JsonObject }>
  | Readonly<{ kind: 'call'; call: AnswerCall }>;

export type AnswerCall = Readonly<{
  id: string;
  name: string;
  /** Complete JSON. */
  arguments: string;
  /** Opaque data that the vendor expects back with the call. */
  more: JsonObject;
}>;

/**
 * Drops executed code, its results and unknown parts, which a chat cannot represent. `answerId`
 * identifies this answer, `callCount` counts its earlier calls. Null if a call cannot be read.
 */
export function readParts(
  candidate: JsonObject,
  answerId: string,
  callCount: number,
): readonly AnswerPart[] | null {
  const found: AnswerPart[] = [];
  let count = callCount;
  const content = objectOf(candidate, 'content');
  for (const part of content === null ? [] : listOf(content, 'parts')) {
    if (!isObject(part)) continue;
    const text = textOf(part, 'text');
    const given = objectOf(part, 'functionCall');
    if (given !== null) {
      const call = readCall(part, given, callId(answerId, count++));
      if (call === null) return null;
      found.push({ kind: 'call', call });
    } else if (text !== null) {
      const isThought = member(part, 'thought') === true;
      if (text !== '') found.push({ kind: isThought ? 'thought' : 'text', text });
      const more = isThought ? null : signatureOf(part);
      if (more !== null) found.push({ kind: 'signature', more });
    }
  }
  return found;
}

/** Streamed arguments are never requested. A partial call is treated as unreadable. */
function readCall(part: JsonObject, call: JsonObject, ownId: string): AnswerCall | null {
  const name = textOf(call, 'name');
  const given = writeJson(objectOf(call, 'args') ?? {});
  const isPiece = member(call, 'willContinue') === true || Object.hasOwn(call, 'partialArgs');
  if (name === null || given === null || isPiece) return null;
  const id = textOf(call, 'id') ?? '';
  return {
    id: id === '' ? ownId : id,
    name,
    arguments: given,
    more: signatureOf(part) ?? {},
  };
}

/** The vendor's own chat API has the signature at this place. Null for a part without one. */
function signatureOf(part: JsonObject): JsonObject | null {
  const signature = textOf(part, 'thoughtSignature');
  if (signature === null || signature === '') return null;
  return { extra_content: { google: { thought_signature: signature } } };
}

/**
 * Later turns may go to another vendor, and those accept only these characters and at most forty.
 */
const callId = (answerId: string, count: number): string =>
  `call_${answerId.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(-28)}_${count}`;
