// Tests that features without an equivalent are refused by name, and malformed values by path.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { refusedMembers } from '../../../src/protocols/untranslatable.ts';
import { user } from '../given.ts';
import { refused } from './given.ts';

const unsupported = (feature: string, param: string) => ({
  refused: 'unsupported',
  status: 501,
  message: `a backend of protocol gemini does not support ${feature}`,
  param,
  headers: ['x-should-retry', 'false'],
});

describe('501 with the name of', () => {
  const values: Readonly<Record<string, unknown>> = {
    n: 2,
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { 7: 1 },
    modalities: ['audio'],
  };
  for (const [name, { feature }] of Object.entries(refusedMembers)) {
    it(feature, () =>
      assert.deepEqual(refused({ [name]: values[name] ?? 1 }), unsupported(feature, name)),
    );
  }

  for (const role of ['system', 'assistant']) {
    it(`media in a message of role ${role}`, () => {
      const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
      assert.deepEqual(
        refused({ messages: [user('Hi'), { role, content }] }),
        unsupported(`image content parts in a message of role ${role}`, 'messages[1].content[0]'),
      );
    });
  }
});

it('a chat that says nothing is a 400', () => {
  const { status, message } = refused({ messages: [user('')] });
  assert.deepEqual([status, message], [400, 'messages must not be empty']);
});

it('what is nested without end is refused, not followed', () => {
  const depth = 50_000;
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const call = { id: 'i', type: 'function', function: { name: 'f', arguments: deep } };
  const messages = [user('Hi'), { role: 'assistant', tool_calls: [call] }];
  assert.equal(refused({ messages }).message, 'body is nested too deeply');
  const shallow = { ...call, function: { name: 'f', arguments: '' } };
  const result = { role: 'tool', tool_call_id: 'i', content: deep };
  const answered = [user('Hi'), { role: 'assistant', tool_calls: [shallow] }, result];
  assert.equal(refused({ messages: answered }).message, 'body is nested too deeply');
});
