// Tests that every request and answer, however malformed, is translated or refused and never
// throws.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { damage, damaged } from '../damage.ts';
import { object, text, user } from '../given.ts';
import { answered, translate } from './given.ts';

const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    user([
      text('Look.'),
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a' } },
    ]),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":[1]}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: [text('ok')] },
  ],
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: {}, strict: true } },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  parallel_tool_calls: false,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'n', schema: { type: 'object', properties: { a: { items: {} } } } },
  },
  max_tokens: 4000,
  temperature: 0.5,
  top_p: 0.9,
  stop: ['END'],
  reasoning_effort: 'low',
  user: 'u',
  n: 1,
  stream: true,
  stream_options: { include_usage: true },
};

const message = {
  id: 'msg_1',
  type: 'message',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    text('Hello.'),
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] } },
  ],
  stop_reason: 'refusal',
  stop_details: { type: 'refusal', explanation: 'No.' },
  usage: { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 1 } },
};

it('a request with values of other kinds is translated, or refused with a place', () => {
  fc.assert(
    fc.property(
      damage,
      fc.constantFrom('claude-sonnet-4-5', 'claude-sonnet-5'),
      (places, model) => {
        const request = translate(object(damaged(chat, places)), { model });
        if ('refused' in request) {
          assert.ok(request.status === 400 || request.status === 501);
          assert.ok(request.message.length < 300, request.message);
        } else {
          const { messages } = object(JSON.parse(request.body.toString()));
          assert.ok(Array.isArray(messages) && messages.length > 0);
          const roles = messages.map(({ role }) => role);
          assert.ok(
            roles.every((role, index) => role !== roles[index - 1]),
            'turns alternate',
          );
        }
      },
    ),
    { numRuns: 2000 },
  );
});

it('an answer with values of other kinds is a completion or an error', () => {
  fc.assert(
    fc.property(damage, fc.constantFrom(200, 429), (places, status) => {
      const { body } = answered(status, damaged(message, places));
      assert.ok('error' in body || 'choices' in body);
    }),
    { numRuns: 2000 },
  );
});
