// What holds of every request and answer, whatever is wrong with it: it is translated or refused, never a fault.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { answered, object, text, translate, user } from './given.ts';

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

const value = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1.5, 1e300, '', 'x', 'https://a.example', [], {}, true),
  fc.jsonValue({ maxDepth: 2 }),
);
const places = fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 3 });

it('a request with values of other kinds is translated, or refused with a place', () => {
  fc.assert(
    fc.property(
      places,
      fc.constantFrom('claude-sonnet-4-5', 'claude-sonnet-5'),
      (places, model) => {
        const request = translate(object(changed(chat, places)), { model });
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
    fc.property(places, fc.constantFrom(200, 429), (places, status) => {
      const { body } = answered(status, changed(message, places));
      assert.ok('error' in body || 'choices' in body);
    }),
    { numRuns: 2000 },
  );
});

/** Each number chooses the value, of all that the JSON holds, in whose place another stands. */
function changed(whole: unknown, places: readonly (readonly [number, unknown])[]): unknown {
  let now = whole;
  for (const [place, value] of places) {
    const written = JSON.stringify(now);
    let count = 0;
    const change = (chosen: number): unknown =>
      JSON.parse(written, (key, one: unknown) => (key !== '' && count++ === chosen ? value : one));
    change(-1);
    const chosen = count === 0 ? 0 : place % count;
    count = 0;
    now = change(chosen);
  }
  return now;
}
