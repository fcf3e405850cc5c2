// Tests the translation of chat completion requests to requests of the Messages API.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { object, text, user } from '../given.ts';
import { refused, sent, translate } from './given.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const call = (id: string, name: string, given: string) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content });

describe('a request', () => {
  it('goes to the messages endpoint with its version, and to the model of the backend', () => {
    const request = translate({ stream: false });
    assert.ok('path' in request);
    assert.equal(request.path, '/v1/messages');
    assert.deepEqual(request.headers, [
      'content-type',
      'application/json',
      'anthropic-version',
      '2023-06-01',
      'accept',
      'application/json',
    ]);
    assert.deepEqual(JSON.parse(request.body.toString()), {
      model: 'claude-opus-4-8',
      max_tokens: 100,
      messages: [{ role: 'user', content: [text('Hi')] }],
    });
  });

  for (const [basePath, path] of [
    ['/anthropic', '/anthropic/v1/messages'],
    ['/anthropic/v1', '/anthropic/v1/messages'],
    ['/v1', '/v1/messages'],
  ] as const) {
    it(`goes to ${path} when the address ends with ${basePath}`, () => {
      const request = translate({}, { basePath });
      assert.ok('path' in request);
      assert.equal(request.path, path);
    });
  }

  it('asks for a stream when the client does', () => {
    const request = translate({ stream: true, stream_options: { include_usage: true } });
    assert.ok('path' in request);
    assert.equal(request.headers.at(-1), 'text/event-stream');
    const body = object(JSON.parse(request.body.toString()));
    assert.equal(body['stream'], true);
    assert.equal(body['stream_options'], undefined);
  });
});

describe('instructions', () => {
  it('are extracted from any position, and the last one is marked for the cache', () => {
    const { system, messages } = sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user('Hi'),
        { role: 'developer', content: [text('Be kind.'), text('Be quick.')] },
      ],
    });
    assert.deepEqual(system, [
      text('Be brief.'),
      text('Be kind.'),
      { ...text('Be quick.'), cache_control: { type: 'ephemeral' } },
    ]);
    assert.deepEqual(messages, [{ role: 'user', content: [text('Hi')] }]);
  });

  it('without other messages become the user’s', () => {
    const { system, messages } = sent({ messages: [{ role: 'system', content: 'Say hello.' }] });
    assert.equal(system, undefined);
    assert.deepEqual(messages, [{ role: 'user', content: [text('Say hello.')] }]);
  });
});

describe('turns', () => {
  it('alternate: consecutive messages of one side are one turn, and empty ones do not separate them', () => {
    const { messages } = sent({
      messages: [
        user('One.'),
        user([text('Two.'), text(' \n')]),
        { role: 'assistant', content: '' },
        user('Three.'),
        { role: 'assistant', content: 'Yes.' },
        { role: 'assistant', content: [text('And no.'), { type: 'refusal', refusal: 'Never.' }] },
        { role: 'assistant', content: null, refusal: 'I must not.', audio: null },
      ],
    });
    assert.deepEqual(messages, [
      { role: 'user', content: [text('One.'), text('Two.'), text('Three.')] },
      {
        role: 'assistant',
        content: [text('Yes.'), text('And no.'), text('Never.'), text('I must not.')],
      },
    ]);
  });

  it('leave out the reasoning that a client sends back', () => {
    const { messages } = sent({
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          reasoning_content: 'Hm.',
          content: [{ type: 'thinking', thinking: 'Hm.' }, text('Hello.')],
        },
        user('Go on.'),
      ],
    });
    assert.deepEqual(messages, [
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Hello.')] },
      { role: 'user', content: [text('Go on.')] },
    ]);
  });

  it('have all tool results first, in one turn', () => {
    const { messages } = sent({
      messages: [
        user('Compare.'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('call_1', 'weather', '{"city":"Paris"}'), call('call.2', 'time', '')],
        },
        result('call_1', 'sunny'),
        user('Hurry up.'),
        result('call.2', [text('noon'), { type: 'image_url', image_url: { url: png } }]),
      ],
    });
    assert.deepEqual(messages, [
      { role: 'user', content: [text('Compare.')] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'call_2', name: 'time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' },
          {
            type: 'tool_result',
            tool_use_id: 'call_2',
            content: [
              text('noon'),
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
              },
            ],
          },
          text('Hurry up.'),
        ],
      },
    ]);
  });
});

describe('the form of the answer', () => {
  it('follows a JSON schema whose objects are closed', () => {
    const schema = {
      type: 'object',
      properties: { type: { anyOf: [{ $ref: '#/$defs/one' }, { type: 'null' }] } },
      $defs: { one: { type: 'object', properties: {}, additionalProperties: true } },
    };
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
    assert.deepEqual(sent({ response_format: format })['output_config'], {
      format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
    });
  });

  for (const format of [{ type: 'text' }, { type: 'json_object' }, null]) {
    it(`is omitted for ${JSON.stringify(format)}`, () =>
      assert.equal(sent({ response_format: format })['output_config'], undefined));
  }
});

describe('the cap on the answer', () => {
  const cases: readonly (readonly [object, number | null, number])[] = [
    [{ max_tokens: 7 }, 500, 7],
    [{ max_tokens: 7, max_completion_tokens: 8 }, 500, 8],
    [{ max_tokens: null, max_completion_tokens: 8 }, null, 8],
    [{ max_tokens: null }, 500, 500],
    [{ max_tokens: 0 }, 500, 0],
  ];
  for (const [given, defaultMaxTokens, expected] of cases) {
    it(`is ${expected} for ${JSON.stringify(given)} and a default of ${defaultMaxTokens}`, () =>
      assert.equal(sent({ ...given }, { defaultMaxTokens })['max_tokens'], expected));
  }

  it('is required if neither the client nor the model sets one', () => {
    const refusal = refused({ max_tokens: null });
    assert.equal(refusal.status, 400);
    assert.equal(refusal.param, 'max_tokens');
    assert.match(refusal.message, /^max_tokens is required/);
    assert.deepEqual(refusal.headers, []);
  });
});

describe('sampling', () => {
  const cases: readonly (readonly [object, object])[] = [
    [
      { temperature: 0, top_p: 0.5, top_k: 40 },
      { temperature: 0, top_p: 0.5, top_k: 40 },
    ],
    [{ temperature: 0.7 }, { temperature: 0.7 }],
    [{ temperature: 1, top_p: 1, top_k: 0 }, {}],
    [{ temperature: 1.7 }, {}],
    [{ frequency_penalty: 0, presence_penalty: 0 }, {}],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ stop: ['END', '', 'STOP'] }, { stop_sequences: ['END', 'STOP'] }],
    [{ stop: null }, {}],
    [{ user: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    [{ safety_identifier: 's-1' }, { metadata: { user_id: 's-1' } }],
  ];
  const { model, max_tokens, messages } = sent({});
  for (const [given, expected] of cases) {
    it(`of ${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(sent({ ...given }), { model, max_tokens, messages, ...expected }));
  }
});

it('members that do not affect the answer, and unknown ones, are omitted', () => {
  const plain = sent({});
  const chatty = sent({
    n: 1,
    logprobs: false,
    top_logprobs: 0,
    seed: null,
    modalities: ['text'],
    logit_bias: {},
    metadata: { a: 'b' },
    prediction: { type: 'content', content: 'x' },
    prompt_cache_key: 'k',
    service_tier: 'auto',
    store: true,
    verbosity: 'low',
    min_p: 0.1,
    constructor: 1,
  });
  assert.deepEqual(chatty, plain);
});

it('whole numbers beyond a double keep every digit', () => {
  const body = translate({
    messages: [
      user('Hi'),
      { role: 'assistant', tool_calls: [call('c', 'get', '{"id":9223372036854775807}')] },
      result('c', 'ok'),
    ],
  });
  assert.ok('body' in body);
  assert.ok(body.body.includes('"input":{"id":9223372036854775807}'));
});

it('drops text that is only white space', () => {
  assert.deepEqual(
    sent({
      messages: [
        { role: 'system', content: ' ' },
        user('Hi'),
        { role: 'assistant', content: '\n' },
      ],
    }),
    sent({}),
  );
});
