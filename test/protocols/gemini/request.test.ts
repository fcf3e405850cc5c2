// Tests the translation of chat completion requests to generateContent requests.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { object, text, user } from '../given.ts';
import { sent, translate } from './given.ts';

const pathOf = (chat: Readonly<Record<string, unknown>>, model: string, basePath: string) => {
  const request = translate(chat, { model, basePath });
  assert.ok('path' in request);
  return request.path;
};

describe('a request', () => {
  it('goes to the upstream model and adds nothing that the client did not set', () => {
    const request = translate({ max_tokens: null }, { basePath: '/v1beta' });
    assert.ok('path' in request);
    assert.equal(request.path, '/v1beta/models/gemini-3-flash-preview:generateContent');
    const [type, accept] = [request.headers.slice(0, 2), request.headers.slice(2)];
    assert.deepEqual(type, ['content-type', 'application/json']);
    assert.deepEqual(accept, ['accept', 'application/json']);
    assert.deepEqual(JSON.parse(request.body.toString()), {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
  });

  it('for a stream goes to the endpoint of streams, and asks for events', () => {
    const request = translate(
      { stream: true, stream_options: { include_usage: true } },
      { basePath: '/v1beta' },
    );
    assert.ok('path' in request);
    assert.equal(
      request.path,
      '/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
    );
    assert.equal(request.headers.at(-1), 'text/event-stream');
    const body = object(JSON.parse(request.body.toString()));
    assert.deepEqual(Object.keys(body), ['contents', 'generationConfig']);
  });

  const project = '/v1/projects/p/locations/l/publishers/google';
  const paths: readonly (readonly [string, string, string])[] = [
    ['gemini-2.5-flash', '', '/models/gemini-2.5-flash:generateContent'],
    ['models/gemini-2.5-flash', '/v1', '/v1/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-pro', project, `${project}/models/gemini-2.5-pro:generateContent`],
    ['../x?y#z', '', '/models/..%2Fx%3Fy%23z:generateContent'],
    ['a\ud800', '', '/models/a%EF%BF%BD:generateContent'],
  ];
  for (const [model, basePath, path] of paths) {
    it(`for ${JSON.stringify(model)} goes to ${path}`, () =>
      assert.equal(pathOf({}, model, basePath), path));
  }
});

describe('instructions', () => {
  it('are extracted from any position', () => {
    const { systemInstruction, contents } = sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user('Hi'),
        { role: 'developer', content: [text('Be kind.'), text('Be quick.')] },
      ],
    });
    const parts = [{ text: 'Be brief.' }, { text: 'Be kind.' }, { text: 'Be quick.' }];
    assert.deepEqual(systemInstruction, { parts });
    assert.deepEqual(contents, [{ role: 'user', parts: [{ text: 'Hi' }] }]);
  });

  it('without other messages become the user’s', () => {
    const { systemInstruction, contents } = sent({
      messages: [{ role: 'system', content: 'Say hello.' }],
    });
    assert.equal(systemInstruction, undefined);
    assert.deepEqual(contents, [{ role: 'user', parts: [{ text: 'Say hello.' }] }]);
  });
});

it('consecutive messages of one side are one content, and empty ones do not separate them', () => {
  const { contents } = sent({
    messages: [
      user('One.'),
      user([text('Two.'), text('')]),
      { role: 'assistant', content: '' },
      user('Three.'),
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
      { role: 'assistant', content: [text('And no.'), { type: 'refusal', refusal: 'Never.' }] },
    ],
  });
  assert.deepEqual(contents, [
    { role: 'user', parts: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] },
    { role: 'model', parts: [{ text: 'Yes.' }, { text: 'And no.' }, { text: 'Never.' }] },
  ]);
});

const format = (more: object) => ({ response_format: { type: 'json_schema', ...more } });

describe('generationConfig', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const json = { responseMimeType: 'application/json' };
  const cases: readonly (readonly [object, object | undefined])[] = [
    [{ max_completion_tokens: 7 }, { maxOutputTokens: 7 }],
    [{ max_tokens: 9 }, { maxOutputTokens: 9 }],
    [
      { temperature: 2, top_p: 0.5, top_k: 3 },
      { temperature: 2, topP: 0.5, topK: 3 },
    ],
    [{ temperature: 0, top_k: 0 }, { temperature: 0 }],
    [
      { frequency_penalty: 0.5, presence_penalty: -1 },
      { frequencyPenalty: 0.5, presencePenalty: -1 },
    ],
    [{ frequency_penalty: 0, presence_penalty: 0 }, undefined],
    [{ stop: 'END' }, { stopSequences: ['END'] }],
    [{ stop: ['a', '', 'b'] }, { stopSequences: ['a', 'b'] }],
    [{ response_format: { type: 'text' } }, undefined],
    [{ response_format: { type: 'json_object' } }, json],
    [format({ json_schema: { name: 'n' } }), json],
    [
      format({ json_schema: { name: 'n', strict: true, schema: { ...schema, $schema: 'x' } } }),
      { ...json, responseJsonSchema: schema },
    ],
    [{ user: 'u', metadata: { a: 'b' }, store: true, of_an_engine: 1 }, undefined],
  ];
  for (const [chat, expected] of cases) {
    it(`of ${JSON.stringify(chat).slice(0, 80)}`, () =>
      assert.deepEqual(sent({ max_tokens: null, ...chat })['generationConfig'], expected));
  }

  it('takes the cap of the model where the client gives none', () => {
    const defaultMaxTokens = 50;
    const capped = sent({ max_tokens: null }, { defaultMaxTokens })['generationConfig'];
    assert.deepEqual(capped, { maxOutputTokens: 50 });
    const chosen = sent({ max_tokens: 5 }, { defaultMaxTokens })['generationConfig'];
    assert.deepEqual(chosen, { maxOutputTokens: 5 });
  });
});
