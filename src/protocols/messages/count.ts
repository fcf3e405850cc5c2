// Reads a request to count tokens: a message body of which only model and messages are required
// (wire reference 1.8).

import { isObject, listOf, parseJson } from '../json.ts';
import { mustBe } from '../read-fields.ts';
import { invalid } from '../refusal.ts';
import type { ProtocolRefusal } from '../refusal.ts';

/** Null if the request is valid. The content of messages is not validated. */
export function refusalOfCount(body: Buffer): ProtocolRefusal | null {
  const request = parseJson(body.toString('utf8'));
  if (!isObject(request)) return { ...invalid('body', 'must be a JSON object'), param: null };
  const messages = listOf(request, 'messages');
  if (messages.length > 0 && messages.every(isObject)) return null;
  const expected = mustBe('an array of at least one message', request['messages']);
  return invalid('messages', expected);
}
