// Tests the translation of chat completions of any variant to messages, and of errors.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { messageAnswer } from '../../../src/protocols/messages/response.ts';
import { reportOf } from '../../harness/usage-report.ts';
import { answered, bytesOf, completion, options } from './given.ts';

const text = (said: string) => ({ type: 'text', text: said });
const thinking = (said: string) => ({ type: 'thinking', thinking: said, signature: '' });
const call = (given: unknown, more: object = { id: 'call_1' }) => ({
  ...more,
  type: 'function',
  function: { name: 'weather', arguments: given },
});
const toolUse = (input: object, id = 'call_1') => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input,
});
const contentOf = (message: object) => answered(200, completion({ ...message })).body['content'];

it('a whole answer names what the client asked for', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const answer = answered(200, completion({ content: 'Hi' }, {}, { usage }));
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'house',
    content: [text('Hi')],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 3 },
    },
  });
  assert.deepEqual(answer.usage, {
    ...reportOf(100, 7),
    cacheReadTokens: 60,
    cacheWrite5mTokens: 30,
    reasoningTokens: 3,
  });
});

describe('content', () => {
  const cases: readonly [string, object, readonly object[]][] = [
    ['text', { content: 'Hi' }, [text('Hi')]],
    ['nothing', { content: null }, []],
    ['reasoning', { reasoning: 'hm', content: 'Hi' }, [thinking('hm'), text('Hi')]],
    ['reasoning_content', { reasoning_content: 'hm', content: 'Hi' }, [thinking('hm'), text('Hi')]],
    [
      'reasoning told twice',
      {
        reasoning: 'hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
        content: 'Hi',
      },
      [thinking('hm'), text('Hi')],
    ],
    [
      'reasoning_details alone',
      { reasoning_details: [{ text: 'h' }, { summary: 'm' }, { data: 'x' }], content: null },
      [thinking('hm')],
    ],
    [
      'parts with thinking',
      { content: [{ type: 'thinking', thinking: [text('h'), text('m')] }, text('Hi')] },
      [thinking('hm'), text('Hi')],
    ],
    ['a refusal', { content: null, refusal: 'No.' }, [text('No.')]],
    [
      'a call',
      { content: '', tool_calls: [call('{"city":"Zürich"}')] },
      [toolUse({ city: 'Zürich' })],
    ],
    ['a call without arguments', { tool_calls: [call('')] }, [toolUse({})]],
    [
      'a call with its arguments as an object',
      { tool_calls: [call({ a: 1 })] },
      [toolUse({ a: 1 })],
    ],
    [
      'a call whose arguments are written twice',
      { tool_calls: [call('"{\\"a\\":1}"')] },
      [toolUse({ a: 1 })],
    ],
    [
      'a call whose arguments are not a JSON object',
      { tool_calls: [call('{"city": "Zür')] },
      [toolUse({ invalid_arguments: '{"city": "Zür' })],
    ],
    [
      'calls without ids',
      { tool_calls: [call('{}', { id: '' }), call('{}', {})] },
      [toolUse({}, 'toolu_request-1_0'), toolUse({}, 'toolu_request-1_1')],
    ],
    [
      'an id that the API does not take',
      { tool_calls: [call('{}', { id: 'a:b/c' })] },
      [toolUse({}, 'a_b_c')],
    ],
    [
      'a call in the older form',
      { function_call: { name: 'weather', arguments: '{}' } },
      [toolUse({}, 'toolu_request-1_0')],
    ],
  ];
  for (const [what, message, blocks] of cases) {
    it(`of ${what}`, () => assert.deepEqual(contentOf(message), blocks));
  }

  it('keeps numbers that a double cannot hold', () => {
    const body = completion({ tool_calls: [call('{"id":12345678901234567890}')] });
    const answer = messageAnswer(200, bytesOf(body), options);
    assert.match(answer.body.toString(), /"id":12345678901234567890/);
  });
});

describe('an answer ends', () => {
  const calls = { tool_calls: [call('{}')] };
  const cases: readonly [string, object, object, string, string | null][] = [
    ['of itself', {}, { finish_reason: 'stop' }, 'end_turn', null],
    ['for a reason that is not known', {}, { finish_reason: 'eos' }, 'end_turn', null],
    ['at the cap', calls, { finish_reason: 'length' }, 'max_tokens', null],
    ['with calls', calls, { finish_reason: 'tool_calls' }, 'tool_use', null],
    ['with calls that it calls a stop', calls, { finish_reason: 'stop' }, 'tool_use', null],
    ['in a filter', {}, { finish_reason: 'content_filter' }, 'refusal', null],
    ['in a refusal', { refusal: 'No.' }, { finish_reason: 'stop' }, 'refusal', null],
    ['at a sequence', {}, { finish_reason: 'stop', stop_reason: 'END' }, 'stop_sequence', 'END'],
    [
      'at a matched stop',
      {},
      { finish_reason: 'stop', matched_stop: 'END' },
      'stop_sequence',
      'END',
    ],
    ['at a token', {}, { finish_reason: 'stop', matched_stop: 2 }, 'end_turn', null],
    [
      'at what was not asked for',
      {},
      { finish_reason: 'stop', stop_reason: 'eos' },
      'end_turn',
      null,
    ],
  ];
  for (const [what, message, choice, reason, sequence] of cases) {
    it(what, () => {
      const { body } = answered(200, completion({ ...message }, { ...choice }));
      assert.deepEqual([body['stop_reason'], body['stop_sequence']], [reason, sequence]);
    });
  }
});

const inputOf = (usage: object) => {
  const { body } = answered(200, completion({ content: 'Hi' }, {}, { usage }));
  const { input_tokens: input, cache_read_input_tokens: read } = Object(body['usage']);
  return [input, read];
};

describe('usage', () => {
  it('knows the cache of other servers', () => {
    const counts = { prompt_tokens: 100, completion_tokens: 1 };
    assert.deepEqual(inputOf({ ...counts, prompt_cache_hit_tokens: 40 }), [60, 40]);
    assert.deepEqual(inputOf({ ...counts, num_cached_tokens: 40 }), [60, 40]);
  });

  it('never reads more from a cache than the prompt has', () =>
    assert.deepEqual(
      inputOf({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 40 } }),
      [0, 10],
    ));

  it('keeps what the provider says the answer cost', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, cost: 0.000837 };
    assert.equal(answered(200, completion({}, {}, { usage })).usage?.costMicros, 837);
  });

  it('is nothing where nothing was counted', () =>
    assert.equal(answered(200, completion({ content: 'Hi' })).usage, null));
});

describe('an error', () => {
  const cases: readonly [number, unknown, string, string][] = [
    [400, { error: { message: 'bad', type: 'x', code: 400 } }, 'invalid_request_error', 'bad'],
    [401, { error: 'no key' }, 'authentication_error', 'no key'],
    [402, { error: { message: 'broke' } }, 'billing_error', 'broke'],
    [403, { message: 'no' }, 'permission_error', 'no'],
    [404, { object: 'error', message: 'none' }, 'not_found_error', 'none'],
    [413, {}, 'request_too_large', 'the upstream answered 413'],
    [422, { detail: [{ msg: 'a' }, { msg: 'b' }] }, 'invalid_request_error', 'a; b'],
    [429, { detail: 'slow down' }, 'rate_limit_error', 'slow down'],
    [500, '<html>', 'api_error', 'the upstream answered 500'],
    [501, { error: { message: 'no such thing' } }, 'api_error', 'no such thing'],
    [503, { error: { message: 'busy' } }, 'overloaded_error', 'busy'],
    [529, { error: { message: 'busy' } }, 'overloaded_error', 'busy'],
  ];
  for (const [status, body, type, message] of cases) {
    it(`of status ${status} is a ${type}`, () => {
      const answer = answered(status, body);
      assert.equal(answer.status, status);
      assert.deepEqual(answer.body, {
        type: 'error',
        error: { type, message },
        request_id: 'request-1',
      });
    });
  }

  it('under a 200 has the status that it names', () => {
    const cases: readonly [unknown, number][] = [
      [{ error: { message: 'm', code: 429 } }, 429],
      [{ error: { message: 'm', code: '404' } }, 404],
      [{ error: { message: 'm', type: 'rate_limit_error' } }, 429],
      [{ error: 'm' }, 502],
      ['no JSON', 502],
      [{ object: 'list' }, 502],
      [{ choices: [{}] }, 502],
      [{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 529],
    ];
    for (const [body, status] of cases) assert.equal(answered(200, body).status, status);
  });
});

it('a message and an error of the API itself stay as they are, byte for byte', () => {
  const message = '{"type": "message", "role":"assistant", "content": [ ] }';
  const error = '{"type":"error","error":{"type":"overloaded_error","message":"m"} }';
  assert.equal(messageAnswer(200, bytesOf(message), options).body.toString(), message);
  assert.equal(messageAnswer(529, bytesOf(error), options).body.toString(), error);
});
