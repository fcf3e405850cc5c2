// Thinking that another backend told in this conversation has no signature, and the vendor refuses a whole
// request for it: it is left out of what goes there.

import { isObject, listOf, parseJson, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Null when there is none, as in most bodies, which then go on untouched. */
export function withoutUnsignedThinking(body: Buffer, model: string): Buffer | null {
  if (!body.includes('"signature":""') && !body.includes('"signature": ""')) return null;
  const request = parseJson(body.toString('utf8'));
  if (!isObject(request)) return null;
  const messages = listOf(request, 'messages').flatMap(signedAlone);
  const text = writeJson({ ...request, model, messages });
  return text === null ? null : Buffer.from(text);
}

/** A turn of nothing else is none. */
function signedAlone(message: unknown): readonly unknown[] {
  if (!isObject(message) || !Array.isArray(message['content'])) return [message];
  const content: readonly unknown[] = message['content'];
  const signed = content.filter((block) => !isObject(block) || !isUnsigned(block));
  if (signed.length === content.length) return [message];
  return signed.length === 0 ? [] : [{ ...message, content: signed }];
}

const isUnsigned = (block: JsonObject): boolean =>
  block['type'] === 'thinking' && block['signature'] === '';
