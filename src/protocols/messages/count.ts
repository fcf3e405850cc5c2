// A request to count tokens: the body of a message, of which only the model and the messages are needed (wire
// reference 1.8).

import { isObject, listOf, parseJson } from '../json.ts';
import { mustBe } from '../read-fields.ts';
import { invalid } from '../refusal.ts';
import type { ProtocolRefusal } from '../refusal.ts';

/**
 * Null for one that can be counted. What the messages hold is not looked into: a count is asked for what a
 * backend may yet refuse, and is an estimate of its size.
 */
export function refusalOfCount(body: Buffer): ProtocolRefusal | null {
  const request = parseJson(body.toString('utf8'));
  if (!isObject(request)) return { ...invalid('body', 'must be a JSON object'), param: null };
  const messages = listOf(request, 'messages');
  if (messages.length > 0 && messages.every(isObject)) return null;
  const expected = mustBe('an array of at least one message', request['messages']);
  return invalid('messages', expected);
}
