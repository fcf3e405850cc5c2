// Tests function declarations, the matching of results to calls, and that signatures are sent back.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { text, user } from '../given.ts';
import { inline, refused, sent } from './given.ts';

const tool = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, ...more },
});
const tools = [tool('a'), tool('b')];
const strict = [tool('a', { strict: true }), tool('b', { strict: true })];

const call = (id: string, name: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: '{"x":1}' },
  ...more,
});
const signature = (thought_signature: string) => ({
  extra_content: { google: { thought_signature } },
});
const result = (tool_call_id: string, content: unknown) => ({
  role: 'tool',
  tool_call_id,
  content,
});
const calling = (...calls: readonly object[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
});

it('functions are declared with their schema, and without one when they take nothing', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const given = [
    tool('weather', { description: 'Of a city.', parameters, strict: false }),
    tool('time', { description: '' }),
    tool('zone', { parameters: {} }),
  ];
  assert.deepEqual(sent({ tools: given })['tools'], [
    {
      functionDeclarations: [
        { name: 'weather', description: 'Of a city.', parametersJsonSchema: parameters },
        { name: 'time' },
        { name: 'zone', parametersJsonSchema: { type: 'object' } },
      ],
    },
  ]);
});

describe('a choice of tools', () => {
  const named = { type: 'function', function: { name: 'b' } };
  const allowed = (mode: string, ...names: readonly string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map((name) => tool(name)) },
  });
  const cases: readonly (readonly [string, object, object | undefined, string])[] = [
    ['that is not made', { tools }, undefined, 'ab'],
    ['auto', { tools, tool_choice: 'auto' }, { mode: 'AUTO' }, 'ab'],
    ['none', { tools, tool_choice: 'none' }, { mode: 'NONE' }, 'ab'],
    ['required', { tools, tool_choice: 'required' }, { mode: 'ANY' }, 'ab'],
    ['of one', { tools, tool_choice: named }, { mode: 'ANY', allowedFunctionNames: ['b'] }, 'ab'],
    [
      'of some, forced',
      { tools, tool_choice: allowed('required', 'a', 'b') },
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
      'ab',
    ],
    ['of some, free', { tools, tool_choice: allowed('auto', 'a') }, { mode: 'AUTO' }, 'a'],
    ['of none in particular', { tools, tool_choice: allowed('auto') }, { mode: 'AUTO' }, 'ab'],
    ['among strict ones', { tools: strict }, { mode: 'VALIDATED' }, 'ab'],
    ['among strict and other ones', { tools: [...strict, tool('c')] }, undefined, 'abc'],
    ['without tools', { tool_choice: 'auto' }, undefined, ''],
  ];
  for (const [what, chat, config, offered] of cases) {
    it(what, () => {
      const { tools: declared, toolConfig } = sent({ ...chat });
      const expected = config === undefined ? undefined : { functionCallingConfig: config };
      assert.deepEqual(toolConfig, expected);
      const functionDeclarations = offered.split('').map((name) => ({ name }));
      assert.deepEqual(declared, offered === '' ? undefined : [{ functionDeclarations }]);
    });
  }

  it('among strict ones is left free where calls cannot be validated', () => {
    const project = '/v1/projects/p/locations/l/publishers/google';
    for (const options of [{ model: 'gemini-2.0-flash' }, { basePath: project }]) {
      assert.equal(sent({ tools: strict }, options)['toolConfig'], undefined);
    }
  });

  it('of one that is not there, or where there are none, is refused', () => {
    const missing = refused({ tools, tool_choice: tool('c') });
    assert.equal(missing.message, 'tool_choice names c, which is not among tools');
    const none = refused({ tool_choice: 'required' });
    assert.match(none.message, /^tool_choice must not require a call/);
  });
});

const functionCall = (id: string) => ({ id, name: 'weather', args: { x: 1 } });

const functionResult = (id: string, name: string, response: object, more: object = {}) => ({
  functionResponse: { id, name, response, ...more },
});

describe('calls and results', () => {
  it('are parts of the turns, results first and in the order of their calls', () => {
    const { contents } = sent({
      messages: [
        user('Compare.'),
        {
          ...calling(call('call_1', 'weather', signature('c2ln')), call('call_2', 'weather')),
          content: 'Wait.',
        },
        result('call_2', [text('sunny'), text('dry')]),
        user('Hurry up.'),
        result('call_1', '{"sky":"grey","n":12345678901234567890}'),
      ],
    });
    assert.deepEqual(contents, [
      { role: 'user', parts: [{ text: 'Compare.' }] },
      {
        role: 'model',
        parts: [
          { text: 'Wait.' },
          { functionCall: functionCall('call_1'), thoughtSignature: 'c2ln' },
          { functionCall: functionCall('call_2') },
        ],
      },
      {
        role: 'user',
        parts: [
          functionResult('call_1', 'weather', { sky: 'grey', n: 12_345_678_901_234_567_000 }),
          functionResult('call_2', 'weather', { output: 'sunny\ndry' }),
          { text: 'Hurry up.' },
        ],
      },
    ]);
  });

  const responses: readonly (readonly [string, object])[] = [
    ['', { output: '' }],
    ['plain', { output: 'plain' }],
    ['[1]', { output: '[1]' }],
    ['{"a":', { output: '{"a":' }],
    [' {"a":1}', { a: 1 }],
    ['{"a":{"$ref":"#/b"}}', { output: '{"a":{"$ref":"#/b"}}' }],
  ];
  for (const [content, response] of responses) {
    it(`give ${JSON.stringify(content)} as an object`, () => {
      const messages = [user('Go.'), calling(call('i', 'f')), result('i', content)];
      const { contents } = sent({ messages });
      assert.ok(Array.isArray(contents));
      assert.deepEqual(contents[2].parts, [functionResult('i', 'f', response)]);
    });
  }

  it('have no ids at Vertex AI, which refuses them', () => {
    const messages = [user('Go.'), calling(call('i', 'f')), result('i', 'x')];
    const basePath = '/v1/projects/p/locations/l/publishers/google';
    const body = JSON.stringify(sent({ messages }, { basePath, model: 'gemini-2.5-pro' }));
    assert.match(body, /"functionCall":\{"name":"f","args":\{"x":1\}\}/);
    assert.match(body, /"functionResponse":\{"name":"f","response":\{"output":"x"\}\}/);
  });

  it('show media within a result, or after it if the model accepts none there', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const messages = [user('Go.'), calling(call('i', 'f')), result('i', [text('x'), image])];
    const last = (model: string) => {
      const { contents } = sent({ messages }, { model });
      return Array.isArray(contents) ? contents[2].parts : null;
    };
    const media = inline('image/png', 'iVBORw0KGgo=');
    assert.deepEqual(last('gemini-3-flash'), [
      functionResult('i', 'f', { output: 'x' }, { parts: [media] }),
    ]);
    assert.deepEqual(last('gemini-2.5-flash'), [functionResult('i', 'f', { output: 'x' }), media]);
  });

  it('of an id that no call before has are refused with it', () => {
    const messages = [user('Go.'), calling(call('i', 'f')), result('j', 'x')];
    const { status, param, message } = refused({ messages });
    assert.deepEqual([status, param], [400, 'messages[2].tool_call_id']);
    assert.match(message, /must be the id of a tool call in an earlier message, not "j"$/);
  });
});

const signatures = (model: string, ...calls: readonly object[]) => {
  const { contents } = sent({ messages: [user('Go.'), calling(...calls)] }, { model });
  assert.ok(Array.isArray(contents));
  return contents[1].parts.map((part: { thoughtSignature?: string }) => part.thoughtSignature);
};

describe('the signature of a text', () => {
  type Given = readonly [string, object, readonly object[]];
  const cases: readonly Given[] = [
    [
      'goes back with the last piece of it',
      { content: [text('So'), text('.')], ...signature('c2ln') },
      [{ text: 'So' }, { text: '.', thoughtSignature: 'c2ln' }],
    ],
    ['has no place without it', { content: null, ...signature('c2ln') }, []],
    ['that is empty is none', { content: 'So.', ...signature('') }, [{ text: 'So.' }]],
  ];
  for (const [what, message, expected] of cases) {
    it(what, () => {
      const assistant = { role: 'assistant', ...message };
      const { contents } = sent({ messages: [user('Go.'), assistant, user('On.')] });
      assert.ok(Array.isArray(contents));
      const said = contents.filter(({ role }) => role === 'model').flatMap(({ parts }) => parts);
      assert.deepEqual(said, expected);
    });
  }
});

describe('a signature', () => {
  const dummy = 'skip_thought_signature_validator';
  const one = call('i', 'f');
  const signedOne = call('i', 'f', signature('c2ln'));
  const cases: readonly (readonly [string, string, readonly object[], readonly unknown[]])[] = [
    ['goes back as it came', 'gemini-3-pro-preview', [signedOne, one], ['c2ln', undefined]],
    ['that is lost is replaced', 'gemini-3-pro-preview', [one, one], [dummy, undefined]],
    ['of a second call does for it alone', 'gemini-3-flash', [one, signedOne], [dummy, 'c2ln']],
    ['goes back to a model that does not ask', 'gemini-2.5-pro', [signedOne], ['c2ln']],
    ['is not made up for a model that does not ask', 'gemini-2.5-pro', [one], [undefined]],
    ['is wanted by a model of no known name', 'endpoint-7', [one], [dummy]],
    [
      'of another kind of value is none',
      'gemini-3-flash',
      [call('i', 'f', { extra_content: { google: { thought_signature: 7 } } })],
      [dummy],
    ],
    ['that is empty is none', 'gemini-3-flash', [call('i', 'f', signature(''))], [dummy]],
    [
      'of another vendor is none',
      'gemini-3-flash',
      [call('i', 'f', { extra_content: { other: {} } })],
      [dummy],
    ],
  ];
  for (const [what, model, calls, expected] of cases) {
    it(what, () => assert.deepEqual(signatures(model, ...calls), expected));
  }
});
