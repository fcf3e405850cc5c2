// Tests that features without an equivalent are refused by name, and malformed values by path.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readChat } from '../../../src/protocols/read-chat.ts';
import { droppedMembers, refusedMembers } from '../../../src/protocols/untranslatable.ts';
import { user } from '../given.ts';
import { refused } from './given.ts';

const part = (content: object) => ({ messages: [user([content])] });
const image = (url: string) => part({ type: 'image_url', image_url: { url } });
const file = (given: object) => part({ type: 'file', file: given });
const assistant = (more: object) => ({ messages: [user('Hi'), { role: 'assistant', ...more }] });

describe('501 with the name of', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['n greater than 1', { n: 2 }, 'n'],
    ['logprobs', { logprobs: true }, 'logprobs'],
    ['top_logprobs', { top_logprobs: 2 }, 'top_logprobs'],
    ['seed', { seed: 0 }, 'seed'],
    ['the deprecated functions parameter', { functions: [] }, 'functions'],
    ['the deprecated function_call parameter', { function_call: 'auto' }, 'function_call'],
    ['logit_bias', { logit_bias: { 7: 1 } }, 'logit_bias'],
    ['modalities other than text', { modalities: ['text', 'audio'] }, 'modalities'],
    ['audio output', { audio: { voice: 'x', format: 'wav' } }, 'audio'],
    ['web_search_options', { web_search_options: {} }, 'web_search_options'],
    ['frequency_penalty', { frequency_penalty: 0.5 }, 'frequency_penalty'],
    ['presence_penalty', { presence_penalty: -1 }, 'presence_penalty'],
    [
      'audio content parts',
      part({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }),
      'messages[0].content[0]',
    ],
    [
      'content parts of type video_url',
      part({ type: 'video_url', video_url: { url: 'x' } }),
      'messages[0].content[0].type',
    ],
    ['images of type image/bmp', image('data:image/bmp;base64,Qk0='), 'messages[0].content[0]'],
    [
      'files of type text/csv',
      file({ file_data: 'data:text/csv;base64,YQ==' }),
      'messages[0].content[0]',
    ],
    ['files referenced by id', file({ file_id: 'file-1' }), 'messages[0].content[0]'],
    [
      'messages of role function',
      { messages: [{ role: 'function', name: 'f' }] },
      'messages[0].role',
    ],
    [
      'the deprecated function_call of a message',
      assistant({ function_call: { name: 'f', arguments: '{}' } }),
      'messages[1].function_call',
    ],
    [
      'tools of type custom',
      { tools: [{ type: 'custom', custom: { name: 'x' } }] },
      'tools[0].type',
    ],
    [
      'tool calls of type custom',
      assistant({ tool_calls: [{ id: 'a', type: 'custom', custom: {} }] }),
      'messages[1].tool_calls[0].type',
    ],
    [
      'the audio of an earlier answer',
      assistant({ content: null, audio: { id: 'audio_1' } }),
      'messages[1].audio',
    ],
    [
      'image content parts in a message of role assistant',
      assistant({ content: [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }] }),
      'messages[1].content[0]',
    ],
  ];
  for (const [feature, chat, param] of cases) {
    it(feature, () =>
      assert.deepEqual(refused(chat), {
        refused: 'unsupported',
        status: 501,
        message: `a backend of protocol anthropic does not support ${feature}`,
        param,
        headers: ['x-should-retry', 'false'],
      }),
    );
  }
});

describe('400 with the place of', () => {
  const cases: readonly (readonly [Record<string, unknown>, string, RegExp])[] = [
    [{ temperature: 2.5 }, 'temperature', /must be a number from 0 to 2, not 2.5$/],
    [{ temperature: '1' }, 'temperature', /not "1"$/],
    [{ top_p: 1.5 }, 'top_p', /from 0 to 1, not 1.5$/],
    [{ max_tokens: -1 }, 'max_tokens', /must be a whole number, not -1$/],
    [{ max_completion_tokens: 1.5 }, 'max_completion_tokens', /not 1.5$/],
    [{ stream: 'yes' }, 'stream', /true or false/],
    [{ stream_options: true }, 'stream_options', /an object/],
    [{ stop: ['a', 1] }, 'stop[1]', /a string, not 1$/],
    [{ stop: 7 }, 'stop', /a string, not 7$/],
    [{ reasoning_effort: 'much' }, 'reasoning_effort', /one of none, .*, not "much"$/],
    [{ response_format: {} }, 'response_format.type', /not null$/],
    [{ response_format: { type: 'xml' } }, 'response_format.type', /not "xml"$/],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema', /an object/],
    [{ tool_choice: 'any' }, 'tool_choice', /one of auto, none, required/],
    [{ tool_choice: { type: 'function' } }, 'tool_choice.function', /an object/],
    [{ tools: {} }, 'tools', /an array, not \{\}$/],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', /non-empty/],
    [{ messages: null }, 'messages', /at least one message, not null$/],
    [{ messages: [] }, 'messages', /at least one message, not \[\]$/],
    [{ messages: ['Hi'] }, 'messages[0]', /an object, not "Hi"$/],
    [{ messages: [{ role: 'guest', content: 'Hi' }] }, 'messages[0].role', /not "guest"$/],
    [{ messages: [user('')] }, 'messages', /must not be empty$/],
    [{ messages: [user(7)] }, 'messages[0].content', /an array, not 7$/],
    [part({}), 'messages[0].content[0].type', /a string, not null$/],
    [part({ type: 'image_url' }), 'messages[0].content[0].image_url', /an object/],
    [
      image('http://a.example/b.png'),
      'messages[0].content[0]',
      /base64 data: URL or an https URL$/,
    ],
    [image('data:image/png,abc'), 'messages[0].content[0]', /base64 data: URL/],
    [file({ file_data: 'ftp://a.example' }), 'messages[0].content[0]', /base64 data: URL/],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id', /non-empty/],
    [
      assistant({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"a":' } }] }),
      'messages[1].tool_calls[0].function.arguments',
      /a JSON object in a string, not "\{\\"a\\":"$/,
    ],
  ];
  for (const [chat, param, message] of cases) {
    it(`${param}: ${message.source}`, () => {
      const refusal = refused(chat);
      assert.equal(refusal.status, 400, refusal.message);
      assert.equal(refusal.param, param);
      assert.ok(refusal.message.startsWith(`${param} `), refusal.message);
      assert.match(refusal.message, message);
      assert.deepEqual(refusal.headers, []);
    });
  }

  it('a body that is not an object', () => {
    for (const body of ['', 'null', '[]', '"x"', '{']) {
      const refusal = readChat(Buffer.from(body), 'anthropic');
      assert.ok('refused' in refusal);
      assert.equal(refusal.message, 'body must be a JSON object');
    }
  });
});

it('arguments that are nested without end', () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: deep } };
  const refusal = refused(assistant({ tool_calls: [call] }));
  assert.equal(refusal.status, 400);
  assert.equal(refusal.message, 'body is nested too deeply');
  const body = Buffer.from(`{"messages":[{"role":"user","content":"Hi"}],"stop":${deep}}`);
  assert.match(JSON.stringify(readChat(body, 'anthropic')), /nested too deeply/);
});

/** `ChatCompletionCreateParams` of the openai package, 7.55. */
const known =
  'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages ' +
  'metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
  'prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed ' +
  'service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user ' +
  'verbosity web_search_options';

it('every member of the API is translated, refused or left out, and no two of them', () => {
  const left = new Set(known.split(' '));
  for (const name of [...Object.keys(refusedMembers), ...droppedMembers]) {
    assert.ok(left.delete(name), `${name} is listed twice, or is none of the API's`);
  }
  assert.deepEqual(
    [...left].join(' '),
    'frequency_penalty max_completion_tokens max_tokens messages model parallel_tool_calls presence_penalty ' +
      'reasoning_effort response_format safety_identifier stop stream stream_options temperature tool_choice ' +
      'tools top_p user',
  );
});
