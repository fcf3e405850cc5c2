// Tests that the translation never throws, whatever a client or vendor sends.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { damage, damaged } from '../damage.ts';
import { object, text, user } from '../given.ts';
import { answer, called, textPart, signed, thought } from './events.ts';
import { answered, translate } from './given.ts';

const schema = {
  type: 'object',
  properties: {
    a: { $ref: '#/$defs/b', description: 'd' },
    c: { oneOf: [{ const: 1 }, { type: 'string', format: 'email' }] },
  },
  allOf: [{ required: ['a'] }],
  $defs: { b: { type: 'array', items: [{ type: 'integer', exclusiveMinimum: 0 }] } },
};

const chat = {
  model: 'house',
  messages: [
    { role: 'system', content: 'Be brief.' },
    user([
      text('Look.'),
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } },
    ]),
    {
      role: 'assistant',
      content: 'Well.',
      tool_calls: [
        {
          id: 'i',
          type: 'function',
          function: { name: 'f', arguments: '{"a":1}' },
          extra_content: { google: { thought_signature: 's' } },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'i', content: '{"b":[2]}' },
    user('Go on.'),
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'f', description: 'd', parameters: schema, strict: true },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
  max_tokens: 4000,
  temperature: 0.5,
  stop: ['END'],
  reasoning_effort: 'low',
  stream: true,
};

it('a request with values of other kinds is translated, or refused with a place', () => {
  const models = fc.constantFrom('gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-3-flash');
  fc.assert(
    fc.property(damage, models, (places, model) => {
      const request = translate(object(damaged(chat, places)), { model });
      if ('refused' in request) {
        assert.ok(request.status === 400 || request.status === 501);
        assert.ok(request.message.length < 300, request.message);
        return;
      }
      const { contents } = object(JSON.parse(request.body.toString()));
      assert.ok(Array.isArray(contents) && contents.length > 0);
      for (const [index, { role, parts }] of contents.entries()) {
        assert.notEqual(role, contents[index - 1]?.role, 'turns alternate');
        assert.ok(Array.isArray(parts) && parts.length > 0);
      }
    }),
    { numRuns: 2000 },
  );
});

it('an answer with values of other kinds is a completion or an error', () => {
  const parts = [thought('Hm.'), textPart('Hello.'), signed(called('f', { a: [1] }), 's')];
  const usage = { promptTokenCount: 1, candidatesTokenCount: 2, thoughtsTokenCount: 1 };
  const whole = {
    ...answer(parts, { finishReason: 'SAFETY', finishMessage: 'No.' }, usage),
    promptFeedback: { blockReason: 'OTHER' },
  };
  fc.assert(
    fc.property(damage, fc.constantFrom(200, 429), (places, status) => {
      const { body } = answered(status, damaged(whole, places));
      assert.ok('error' in body || 'choices' in body);
    }),
    { numRuns: 2000 },
  );
});
