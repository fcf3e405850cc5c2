// Removes unsigned thinking, which comes from other backends, before a request goes to the vendor,
// which would reject the whole request.

import { isObject, listOf, parseJson, writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Null if there is none, as in most bodies, which are then forwarded unchanged. */
export function withoutUnsignedThinking(body: Buffer, model: string): Buffer | null {
  if (!body.includes('"signature":""') && !body.includes('"signature": ""')) return null;
  const request = parseJson(body.toString('utf8'));
  if (!isObject(request)) return null;
  const messages = listOf(request, 'messages').flatMap(signedAlone);
  const text = writeJson({ ...request, model, messages });
  return text === null ? null : Buffer.from(text);
}

/** Drops a turn that becomes empty. */
function signedAlone(message: unknown): readonly unknown[] {
  if (!isObject(message) || !Array.isArray(message['content'])) return [message];
  const content: readonly unknown[] = message['content'];
  const signed = content.filter((block) => !isObject(block) || !isUnsigned(block));
  if (signed.length === content.length) return [message];
  return signed.length === 0 ? [] : [{ ...message, content: signed }];
}

const isUnsigned = (block: JsonObject): boolean =>
  block['type'] === 'thinking' && block['signature'] === '';
