// Every turn of a conversation has the key of the first.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { conversationKey } from '../../../src/gateway/body/conversation.ts';

const keyOf = (body: unknown, prefixBytes = 2048): number => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return conversationKey(bytes, bytes.indexOf('{'), prefixBytes);
};
const says = (role: string, content: unknown) => ({ role, content });
const chat = (...messages: readonly unknown[]) => ({ model: 'm', messages, temperature: 0 });
const system = says('system', 'Be brief.');

describe('the key of a conversation', () => {
  it('is the same for each of its turns, whatever the other fields', () => {
    const first = keyOf(chat(system, says('user', 'Hi')));
    const second = chat(system, says('user', 'Hi'), says('assistant', 'Yes?'), says('user', 'Ho'));
    assert.equal(keyOf(second), first);
    assert.equal(keyOf({ stream: true, metadata: { a: [1, '"'] }, ...second }), first);
    assert.equal(keyOf({ ...second, model: 'other' }), first);
  });

  it('depends on the first user message and everything before it', () => {
    const keys = [
      keyOf(chat(system, says('user', 'Hi'))),
      keyOf(chat(system, says('user', 'Ho'))),
      keyOf(chat(says('system', 'Be long.'), says('user', 'Hi'))),
      keyOf(chat(says('user', 'Hi'))),
      keyOf({ prompt: 'Hi' }),
      keyOf({ input: 'Ho' }),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });

  it('reads a limited prefix, so that long beginnings share a key', () => {
    const long = 'x'.repeat(3000);
    assert.equal(keyOf(chat(says('user', `${long}1`))), keyOf(chat(says('user', `${long}2`))));
    assert.notEqual(
      keyOf(chat(says('user', `${long}1`)), 4096),
      keyOf(chat(says('user', `${long}2`)), 4096),
    );
  });

  it('is found in every body that has been let through', () => {
    const bodies = [
      '{"model":"m"}',
      '{"model":"m","messages":[]}',
      '{"model":"m","messages":[[]]}',
      '{"model":"m","messages":[{}]}',
      '{"model":"m","messages":[{"role":"system"}]}',
      '{"model":"m","messages":7}',
      '{"model":"m","messages":null}',
      ' { "input" : [ { "content" : "a" , "role" : "user" } , 7 ] , "model" : "m" } ',
      '{"prompt":["a","b"],"model":"m"}',
      '{}',
    ];
    for (const body of bodies) {
      assert.ok(keyOf(body) >= 0, body);
      assert.ok(keyOf(body, 1) >= 0, body);
    }
  });
});
