// Tests how requests of the Responses API are read, member by member.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject } from '../../../src/protocols/json.ts';
import { isProtocolRefusal } from '../../../src/protocols/refusal.ts';
import {
  droppedMembers,
  readResponsesRequest,
  refusedMembers,
  storedMembers,
} from '../../../src/protocols/responses/read-request.ts';
import { seal } from '../../../src/protocols/responses/seal.ts';
import { read, refused, signer } from './given.ts';

const part = (text: string, at: string) => ({ kind: 'text', text, at });
const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"a":1}' };
const result = { type: 'function_call_output', call_id: 'c1', output: 'sunny' };
const readCall = { id: 'c1', name: 'weather', input: { a: 1 }, extraContent: null };

const said = (parts: readonly object[], toolCalls: readonly object[], at: string, more = {}) => ({
  role: 'assistant',
  at,
  parts,
  toolCalls,
  extraContent: null,
  ...more,
});

const google = (sig: string): JsonObject => ({ google: { thought_signature: sig } });

const thought: JsonObject = { type: 'thinking', thinking: 'hm', signature: 's' };
const signed = { call: null, thinkingBlocks: [thought], extraContent: null };
const reasoning = (encrypted_content: string | null) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content,
});

describe('the conversation', () => {
  it('is the text of the user, after the instructions', () =>
    assert.deepEqual(read({ instructions: 'Be brief.', input: 'Hi' }).messages, [
      { role: 'system', at: 'instructions', parts: [part('Be brief.', 'instructions')] },
      { role: 'user', at: 'input', parts: [part('Hi', 'input')] },
    ]));

  it('has what one answer was made of in one message', () => {
    const text = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'A' }],
    };
    const custom = { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '+' };
    const customResult = { type: 'custom_tool_call_output', call_id: 'c2', output: [] };
    const input = [text, call, custom, result, customResult, { role: 'developer', content: 'B' }];
    const patch = { id: 'c2', name: 'patch', input: { input: '+' }, extraContent: null };
    assert.deepEqual(read({ input }).messages, [
      said([part('A', 'input[0].content[0]')], [readCall, patch], 'input[0]'),
      { role: 'tool', at: 'input[3]', toolCallId: 'c1', parts: [part('sunny', 'input[3].output')] },
      { role: 'tool', at: 'input[4]', toolCallId: 'c2', parts: [] },
      { role: 'system', at: 'input[5]', parts: [part('B', 'input[5].content')] },
    ]);
  });

  it('has pictures and files of the user', () => {
    const content = [
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
      { type: 'input_file', file_id: 'file_1' },
    ];
    const [message] = read({ input: [{ role: 'user', content }] }).messages;
    const file = { kind: 'file', filename: 'a.pdf', data: 'data:application/pdf;base64,AA==' };
    assert.deepEqual(message?.parts, [
      { kind: 'image', url: 'data:image/png;base64,AA==', at: 'input[0].content[0]' },
      { ...file, at: 'input[0].content[1]' },
      { kind: 'file', filename: null, data: null, at: 'input[0].content[2]' },
    ]);
  });

  it('has thinking that this backend signed before what it led to', () => {
    const input = [reasoning(seal(signer, signed)), call, reasoning(seal(signer, signed)), call];
    const thinkingBlocks = [thought];
    assert.deepEqual(read({ input }).messages, [
      said([], [readCall], 'input[0]', { thinkingBlocks }),
      said([], [readCall], 'input[2]', { thinkingBlocks }),
    ]);
  });

  it('leaves out reasoning that another backend signed, or none', () => {
    const others = [
      { ...signer, model: 'other' },
      { ...signer, protocol: 'gemini' },
    ] as const;
    const sealed = [...others.map((other) => seal(other, signed)), 'gAAAA', 'gw1.AAAA', null];
    const input = [...sealed.map(reasoning), call];
    assert.deepEqual(read({ input }).messages, [said([], [readCall], 'input[5]')]);
  });

  it('has the signature of a call with it, and that of a text with its message', () => {
    const ofCall = seal(signer, { call: 'c1', thinkingBlocks: [], extraContent: google('a') });
    const ofText = seal(signer, { call: null, thinkingBlocks: [], extraContent: google('b') });
    const text = { role: 'assistant', content: 'A' };
    assert.deepEqual(read({ input: [text, reasoning(ofText), reasoning(ofCall), call] }).messages, [
      said(
        [part('A', 'input[0].content')],
        [{ ...readCall, extraContent: google('a') }],
        'input[0]',
        { extraContent: google('b') },
      ),
    ]);
  });
});

it('arguments that are not a JSON object are kept as text', () => {
  const [message] = read({ input: [{ ...call, arguments: '{"a' }] }).messages;
  assert.ok(message?.role === 'assistant');
  assert.deepEqual(message.toolCalls[0]?.input, { invalid_arguments: '{"a' });
});

describe('tools', () => {
  const parameters = { type: 'object', properties: {} };
  const tools = [
    { type: 'function', name: 'find', description: 'finds', parameters, strict: true },
    { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
    {
      type: 'custom',
      name: 'patch',
      description: 'edits',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
    },
  ];

  it('are functions, with the name of their namespace before their own', () => {
    assert.deepEqual(
      read({ tools }).tools.map(({ name, description, strict }) => [name, description, strict]),
      [
        ['find', 'finds', true],
        ['crm__find', null, null],
        ['patch', 'edits\n\nThe input must follow this lark grammar:\nstart: "a"', null],
      ],
    );
  });

  const choices: readonly (readonly [unknown, object | null])[] = [
    [undefined, null],
    ['required', { mode: 'required', names: null }],
    [
      { type: 'function', name: 'find' },
      { mode: 'required', names: ['find'] },
    ],
    [
      { type: 'custom', name: 'patch' },
      { mode: 'required', names: ['patch'] },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] },
      { mode: 'auto', names: ['find'] },
    ],
  ];
  for (const [tool_choice, expected] of choices) {
    it(`are chosen from by ${JSON.stringify(tool_choice)}`, () =>
      assert.deepEqual(read({ tools, tool_choice }).toolChoice, expected));
  }
});

it('limits, effort, the form of the answer and the user are read', () => {
  const schema = { type: 'object' };
  const chat = read({
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    parallel_tool_calls: false,
    reasoning: { effort: 'high', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'a', schema }, verbosity: 'low' },
    safety_identifier: 'u1',
    stream: true,
  });
  assert.deepEqual(
    [chat.maxTokens, chat.temperature, chat.topP, chat.parallelToolCalls, chat.reasoningEffort],
    [9, 0.5, 0.9, false, 'high'],
  );
  assert.deepEqual(chat.responseFormat, { kind: 'json_schema', schema });
  assert.deepEqual([chat.user, chat.isStream], ['u1', true]);
});

it('tools that only the vendor runs are left out for a model that drops them', () => {
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'find' }];
  const body = Buffer.from(JSON.stringify({ input: 'Hi', tools }));
  const request = readResponsesRequest(body, signer, { dropsTools: true });
  assert.ok(!isProtocolRefusal(request));
  assert.deepEqual(
    request.chat.tools.map(({ name }) => name),
    ['find'],
  );
});

describe('a refusal names the member:', () => {
  const cases: readonly (readonly [number, string, JsonObject])[] = [
    [400, 'previous_response_id', { previous_response_id: 'resp_1' }],
    [400, 'conversation', { conversation: { id: 'c' } }],
    [400, 'input[0].type', { input: [{ type: 'item_reference', id: 'x' }] }],
    [400, 'input', { input: [] }],
    [400, 'input', { input: undefined }],
    [400, 'input[0].role', { input: [{ role: 'critic', content: 'x' }] }],
    [400, 'input[0].call_id', { input: [{ ...call, call_id: '' }] }],
    [400, 'max_output_tokens', { max_output_tokens: -1 }],
    [400, 'reasoning.effort', { reasoning: { effort: 'extreme' } }],
    [400, 'text.format.schema', { text: { format: { type: 'json_schema' } } }],
    [501, 'tools[0].type', { tools: [{ type: 'web_search' }] }],
    [
      501,
      'tools[0].tools[0].type',
      { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'mcp' }] }] },
    ],
    [501, 'tool_choice.type', { tool_choice: { type: 'file_search' } }],
    [501, 'input[0].type', { input: [{ type: 'web_search_call', id: 'x' }] }],
    [
      501,
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'x' }] }] },
    ],
    [501, 'background', { background: true }],
    [501, 'include', { include: ['message.output_text.logprobs'] }],
  ];
  for (const [status, param, asked] of cases) {
    it(`${param} of ${JSON.stringify(asked).slice(0, 60)}`, () => {
      const refusal = refused(asked);
      assert.deepEqual([refusal.status, refusal.param], [status, param]);
    });
  }
});

it('each vendor-only member is either refused or omitted', () => {
  const all = [...storedMembers, ...refusedMembers, ...droppedMembers];
  assert.equal(new Set(all).size, all.length);
});

it('members that are left out do not change what is asked', () => {
  const asked = Object.fromEntries(droppedMembers.map((name) => [name, 'x']));
  assert.deepEqual(read(asked), read({}));
});
