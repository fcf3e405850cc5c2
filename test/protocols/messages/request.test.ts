// Tests the translation of requests of the Messages API to chat completion requests.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { text, user } from '../given.ts';
import { sent, sentMessages } from './given.ts';

const assistant = (content: unknown) => ({ role: 'assistant', content });
const toolUse = (id: string, input: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input,
});
const result = (id: string, content: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const toolCall = (id: string, given: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: given },
});
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const pngPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

describe('messages', () => {
  it('is the text of the turn, as one string', () =>
    assert.deepEqual(sentMessages(user('Hi'), assistant([text('Ho'), text('Hum')]), user('So')), [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho\n\nHum' },
      { role: 'user', content: 'So' },
    ]));

  it('has the system prompt as its first message, whichever way it is given', () => {
    const first = { role: 'system', content: 'Be brief.\n\nBe kind.' };
    const blocks = [
      { ...text('Be brief.'), cache_control: { type: 'ephemeral' } },
      text('Be kind.'),
    ];
    for (const system of ['Be brief.\n\nBe kind.', blocks]) {
      assert.deepEqual(sent({ system })['messages'], [first, { role: 'user', content: 'Hi' }]);
    }
  });

  it('keeps a system message in its place', () =>
    assert.deepEqual(
      sentMessages(user('Hi'), { role: 'system', content: [text('Now in French')] }),
      [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Now in French' },
      ],
    ));

  it('leaves out thinking, and a turn of nothing else', () =>
    assert.deepEqual(
      sentMessages(
        user('Hi'),
        assistant([{ type: 'thinking', thinking: 'hm', signature: 's' }, text('Ho')]),
        assistant([{ type: 'redacted_thinking', data: 'x' }]),
        user('So'),
      ),
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ho' },
        { role: 'user', content: 'So' },
      ],
    ));
});

describe('what is shown', () => {
  it('is an image inline or by its URL, in its place', () => {
    const url = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    assert.deepEqual(sentMessages(user([text('See'), png, url])), [
      user([
        text('See'),
        pngPart,
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ]),
    ]);
  });

  it('is a PDF as a file', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    const document = { type: 'document', source, title: 'a.pdf', context: 'Of May' };
    assert.deepEqual(sentMessages(user([document])), [
      user([
        text('Of May'),
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
        },
      ]),
    ]);
  });

  it('turns text documents into text after their title', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Once' };
    const document = { type: 'document', source, title: 'Tale' };
    const parts = { type: 'content', content: [text('One'), text('Two')] };
    assert.deepEqual(sentMessages(user([document, { type: 'document', source: parts }])), [
      user('Tale\n\nOnce\n\nOne\n\nTwo'),
    ]);
  });

  it('is a result of a search as text', () => {
    const content = [text('It rains.')];
    const found = { type: 'search_result', title: 'News', source: 'https://n.example', content };
    assert.deepEqual(sentMessages(user([found])), [user('News\nhttps://n.example\n\nIt rains.')]);
  });
});

describe('tools', () => {
  it('are called by the assistant and answered before what else the user says', () =>
    assert.deepEqual(
      sentMessages(
        user('Weather?'),
        assistant([text('Let me see'), toolUse('a', { city: 'Zürich' }), toolUse('b')]),
        user([text('Go on'), result('b', [text('rain'), text('wind')]), result('a', 'sun')]),
      ),
      [
        user('Weather?'),
        {
          role: 'assistant',
          content: 'Let me see',
          tool_calls: [toolCall('a', '{"city":"Zürich"}'), toolCall('b', '{}')],
        },
        { role: 'tool', tool_call_id: 'b', content: 'rain\nwind' },
        { role: 'tool', tool_call_id: 'a', content: 'sun' },
        user('Go on'),
      ],
    ));

  it('have null content if there are only calls', () =>
    assert.deepEqual(sentMessages(user('Hi'), assistant([toolUse('a')]), user([result('a', '')])), [
      user('Hi'),
      { role: 'assistant', content: null, tool_calls: [toolCall('a', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ]));

  it('keep numbers that a double cannot hold', () => {
    const body =
      '[{"role":"user","content":"Hi"},' +
      '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{"id":12345678901234567890}}]}]';
    const messages: unknown = JSON.parse(
      body,
      (_, value: unknown, { source }: { source?: string }) =>
        typeof value === 'number' ? JSON.rawJSON(source ?? '0') : value,
    );
    assert.match(JSON.stringify(sent({ messages })), /12345678901234567890/);
  });

  it('tell that a result is an error', () => {
    const failed = { is_error: true };
    const results = [
      result('a', 'no such city', failed),
      result('b', 'Error: down', failed),
      result('c', undefined, failed),
    ];
    const told = ['Error: no such city', 'Error: down', 'Error'];
    assert.deepEqual(
      sentMessages(user(results)),
      ['a', 'b', 'c'].map((id, at) => ({ role: 'tool', tool_call_id: id, content: told[at] })),
    );
  });

  it('show images in a user message after all results', () => {
    const results = [result('a', [png]), result('b', [text('two'), png]), result('c', 'three')];
    assert.deepEqual(sentMessages(user([...results, text('Well?')])), [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: 'The result is shown in the next message of the user.',
      },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'c', content: 'three' },
      user([
        text('Shown by the result of a:'),
        pngPart,
        text('Shown by the result of b:'),
        pngPart,
        text('Well?'),
      ]),
    ]);
  });

  it('are functions', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [
      {
        name: 'weather',
        description: 'Tells',
        input_schema: schema,
        strict: true,
        cache_control: {},
      },
      { name: 'time', type: 'custom' },
    ];
    assert.deepEqual(sent({ tools })['tools'], [
      {
        type: 'function',
        function: { name: 'weather', description: 'Tells', parameters: schema, strict: true },
      },
      {
        type: 'function',
        function: { name: 'time', parameters: { type: 'object', properties: {} } },
      },
    ]);
  });

  const choices: readonly [object, unknown, unknown][] = [
    [{ type: 'auto' }, 'auto', undefined],
    [{ type: 'any', disable_parallel_tool_use: true }, 'required', false],
    [{ type: 'none' }, 'none', undefined],
    [
      { type: 'tool', name: 'weather' },
      { type: 'function', function: { name: 'weather' } },
      undefined,
    ],
  ];
  for (const [choice, expected, parallel] of choices) {
    it(`are chosen as ${JSON.stringify(choice)} says`, () => {
      const body = sent({ tools: [{ name: 'weather' }], tool_choice: choice });
      assert.deepEqual([body['tool_choice'], body['parallel_tool_calls']], [expected, parallel]);
    });
  }

  it('are not chosen among where there are none', () =>
    assert.equal(sent({ tool_choice: { type: 'auto' } })['tool_choice'], undefined));
});

const format = (json_schema: object) => ({ type: 'json_schema', json_schema });

describe('the rest', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const cases: readonly [string, object, string, unknown][] = [
    ['the model by its name upstream', {}, 'model', 'up'],
    ['the cap', {}, 'max_tokens', 100],
    ['the temperature', { temperature: 0.3 }, 'temperature', 0.3],
    ['top_p', { top_p: 0.9 }, 'top_p', 0.9],
    ['top_k', { top_k: 40 }, 'top_k', 40],
    ['stop sequences', { stop_sequences: ['END', ''] }, 'stop', ['END']],
    ['no stop sequences', { stop_sequences: [] }, 'stop', undefined],
    ['the user', { metadata: { user_id: 'u'.repeat(70) } }, 'user', 'u'.repeat(64)],
    ['a stream', { stream: true }, 'stream', true],
    ['the counts of a stream', { stream: true }, 'stream_options', { include_usage: true }],
    ['no stream', { stream: false }, 'stream_options', undefined],
    [
      'a strict schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      'response_format',
      format({ name: 'answer', schema, strict: true }),
    ],
    [
      'a schema with a member that may be missing',
      { output_format: { type: 'json_schema', schema: { ...schema, required: [] } } },
      'response_format',
      format({ name: 'answer', schema: { ...schema, required: [] } }),
    ],
    ['an effort', { output_config: { effort: 'xhigh' } }, 'reasoning_effort', 'xhigh'],
    [
      'a large budget',
      { thinking: { type: 'enabled', budget_tokens: 31_999 } },
      'reasoning_effort',
      'high',
    ],
    [
      'a budget',
      { thinking: { type: 'enabled', budget_tokens: 8000 } },
      'reasoning_effort',
      'medium',
    ],
    [
      'a small budget',
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      'reasoning_effort',
      'low',
    ],
    [
      'an effort before a budget',
      { thinking: { type: 'enabled', budget_tokens: 1024 }, output_config: { effort: 'max' } },
      'reasoning_effort',
      'max',
    ],
    [
      'thinking as the model likes',
      { thinking: { type: 'adaptive' } },
      'reasoning_effort',
      undefined,
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, 'reasoning_effort', undefined],
  ];
  for (const [what, asked, name, expected] of cases) {
    it(`of a request is ${what}`, () => assert.deepEqual(sent({ ...asked })[name], expected));
  }

  it('names the cap as models that reason want it', () => {
    for (const model of ['gpt-5-mini', 'o3', 'openai/gpt-5.2', 'gpt-10']) {
      assert.equal(sent({}, model)['max_completion_tokens'], 100, model);
    }
    for (const model of ['gpt-4o', 'gpt-oss-120b', 'mistral-large', 'o1x', 'qwen3']) {
      assert.equal(sent({}, model)['max_tokens'], 100, model);
    }
  });

  it('leaves out what belongs to the vendor alone', () => {
    const more = {
      cache_control: { type: 'ephemeral' },
      context_management: { edits: [] },
      service_tier: 'auto',
      inference_geo: 'us',
      mcp_servers: [],
    };
    assert.deepEqual(sent(more), sent({}));
  });
});
