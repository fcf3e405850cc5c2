// The parts of an answer, whole or in a stream, as what a chat has a place for: text, thoughts and calls.

import { listOf, isObject, member, objectOf, textOf, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type AnswerPart =
  | Readonly<{ kind: 'text' | 'thought'; text: string }>
  /** What the vendor wants back with the text before it. */
  | Readonly<{ kind: 'signature'; more: JsonObject }>
  | Readonly<{ kind: 'call'; call: AnswerCall }>;

export type AnswerCall = Readonly<{
  id: string;
  name: string;
  /** JSON, whole. */
  arguments: string;
  /** What the vendor wants back with the call. */
  more: JsonObject;
}>;

/**
 * Executed code, its results and what is not known have no place in a chat. `answerId` is what no other answer
 * is named by, `callCount` how many calls of it came before. Null when a call cannot be read.
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

/** A call in pieces would have to be put together; it is never asked for, and half of one is worse than none. */
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

/** Where the vendor's own chat surface has it; null for a part without one. */
function signatureOf(part: JsonObject): JsonObject | null {
  const signature = textOf(part, 'thoughtSignature');
  if (signature === null || signature === '') return null;
  return { extra_content: { google: { thought_signature: signature } } };
}

/** Other vendors, whom a later turn may go to, take no other characters and no more than forty. */
const callId = (answerId: string, count: number): string =>
  `call_${answerId.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(-28)}_${count}`;
