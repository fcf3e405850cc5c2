// Tests that features a chat backend does not support are refused by name, and malformed values by
// path.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  droppedMembers,
  readMessagesRequest,
  refusedMembers,
} from '../../../src/protocols/messages/read-request.ts';
import { writeChat } from '../../../src/protocols/openai/write-chat.ts';
import { isProtocolRefusal, nestedTooDeeply } from '../../../src/protocols/refusal.ts';
import { text, user } from '../given.ts';
import { refused } from './given.ts';

const assistant = (content: unknown) => ({ role: 'assistant', content });
const said = (block: object) => ({ messages: [user([block])] });

const unsupported: readonly [string, object][] = [
  [
    'tools of type web_search_20250305; drop_unsupported_tools of the model leaves them out',
    { tools: [{ type: 'web_search_20250305', name: 'w' }] },
  ],
  [
    'tools of type bash_20250124; drop_unsupported_tools of the model leaves them out',
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  ],
  ['max_tokens of 0', { max_tokens: 0 }],
  ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://m.example' }] }],
  ['container', { container: 'c1' }],
  ['content blocks of type container_upload', said({ type: 'container_upload', file_id: 'f' })],
  [
    'content blocks of type server_tool_use',
    {
      messages: [
        user('Hi'),
        assistant([{ type: 'server_tool_use', id: 's', name: 'w', input: {} }]),
      ],
    },
  ],
  [
    'content blocks of type image',
    { messages: [user('Hi'), assistant([{ type: 'image', source: {} }])] },
  ],
  [
    'images from a source of type file',
    said({ type: 'image', source: { type: 'file', file_id: 'f' } }),
  ],
  [
    'documents from a source of type file',
    said({ type: 'document', source: { type: 'file', file_id: 'f' } }),
  ],
  [
    'documents by their URL',
    said({ type: 'document', source: { type: 'url', url: 'https://d.example/a.pdf' } }),
  ],
  [
    'image blocks in a message of role system',
    { system: [{ type: 'image', source: { type: 'url', url: 'https://i.example' } }] },
  ],
];

describe('501', () => {
  for (const [feature, asked] of unsupported) {
    it(`is the answer to ${feature}`, () => {
      const { status, message, headers } = refused({ ...asked });
      assert.equal(status, 501);
      assert.equal(message, `a backend of protocol openai does not support ${feature}`);
      assert.deepEqual(headers, ['x-should-retry', 'false']);
    });
  }
});

const invalid: readonly [string, object][] = [
  ['max_tokens is required', { max_tokens: null }],
  ['max_tokens must be a whole number, not "1"', { max_tokens: '1' }],
  ['messages must be an array of at least one message, not null', { messages: null }],
  ['messages must be an array of at least one message, not []', { messages: [] }],
  ['messages[0] must be an object, not "Hi"', { messages: ['Hi'] }],
  [
    'messages[0].role must be one of user, assistant, system, not "tool"',
    { messages: [{ role: 'tool', content: 'x' }] },
  ],
  ['messages[0].content must be a string or an array, not null', { messages: [{ role: 'user' }] }],
  ['messages[0].content must be an array, not 1', { messages: [user(1)] }],
  ['messages[0].content[1].type must be a string, not null', { messages: [user([text('a'), {}])] }],
  ['messages[0].content[0].source must be an object, not null', said({ type: 'image' })],
  [
    'messages[0].content[0].source.data must be a non-empty string, not null',
    said({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
  ],
  [
    'messages[0].content[0].tool_use_id must be a non-empty string, not null',
    said({ type: 'tool_result' }),
  ],
  [
    'messages[0].content[0].input must be an object, not []',
    { messages: [assistant([{ type: 'tool_use', id: 'a', name: 'n', input: [] }])] },
  ],
  ['system must be an array, not 1', { system: 1 }],
  ['temperature must be a number from 0 to 1, not 1.5', { temperature: 1.5 }],
  ['stop_sequences[1] must be a string, not 2', { stop_sequences: ['a', 2] }],
  ['tools[0].name must be a non-empty string, not null', { tools: [{}] }],
  ['tool_choice must be an object, not "auto"', { tool_choice: 'auto' }],
  [
    'tool_choice.type must be one of auto, any, tool, none, not "some"',
    { tool_choice: { type: 'some' } },
  ],
  ['tool_choice names x, which is not among tools', { tool_choice: { type: 'tool', name: 'x' } }],
  [
    'tool_choice must not require a call where no tools are given',
    { tool_choice: { type: 'any' } },
  ],
  [
    'thinking.type must be one of enabled, adaptive, disabled, between_tools, not "on"',
    { thinking: { type: 'on' } },
  ],
  ['metadata.user_id must be a string, not 5', { metadata: { user_id: 5 } }],
  [
    'output_config.format.type must be one of json_schema, not "xml"',
    { output_config: { format: { type: 'xml', schema: {} } } },
  ],
  [
    'output_config.format.schema must be an object, not null',
    { output_config: { format: { type: 'json_schema' } } },
  ],
];

describe('400', () => {
  for (const [message, asked] of invalid) {
    it(`is the answer where ${message}`, () => {
      const refusal = refused({ ...asked });
      assert.deepEqual([refusal.status, refusal.message], [400, message]);
    });
  }
});

it('values that are nested too deeply are refused', () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const call = `{"type":"tool_use","id":"a","name":"n","input":${deep}}`;
  const messages = `[{"role":"assistant","content":[${call}]}]`;
  const chat = readMessagesRequest(
    Buffer.from(`{"max_tokens":1,"messages":${messages}}`),
    'openai',
  );
  assert.ok(!isProtocolRefusal(chat));
  assert.deepEqual(writeChat(chat, 'up'), nestedTooDeeply);
});

it('a body that is not a JSON object is refused', () => {
  for (const body of ['[]', '{', 'null', '']) {
    const refusal = readMessagesRequest(Buffer.from(body), 'openai');
    assert.ok(isProtocolRefusal(refusal));
    assert.equal(refusal.message, 'body must be a JSON object');
  }
});

it('each vendor-only member is either refused or omitted', () => {
  const both = [...refusedMembers, ...droppedMembers];
  assert.equal(new Set(both).size, both.length);
});
