// Tests the translation of complete messages to chat completions, and of errors with their status.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { reportOf } from '../../harness/usage-report.ts';
import { object, text } from '../given.ts';
import { answered } from './given.ts';

const message = (more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-answering',
  content: [{ ...text('Hello.'), citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7 },
  ...more,
});

const choiceOf = (more: object) => {
  const { choices } = answered(200, message(more)).body;
  assert.ok(Array.isArray(choices));
  return object(choices[0]);
};
const messageOf = (...content: unknown[]) => object(choiceOf({ content })['message']);

it('a message of text is a completion', () => {
  const answer = answered(200, message());
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    id: 'msg_1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'claude-answering',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello.', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  });
});

describe('blocks', () => {
  it('of text and of thinking are joined, each kind by itself', () =>
    assert.deepEqual(
      messageOf(
        { type: 'thinking', thinking: 'Hm. ', signature: 's' },
        text('One. '),
        { type: 'redacted_thinking', data: 'x' },
        { type: 'thinking', thinking: 'So.', signature: 's' },
        text('Two.'),
      ),
      { role: 'assistant', content: 'One. Two.', refusal: null, reasoning_content: 'Hm. So.' },
    ));

  it('of tools are calls with their arguments as JSON', () =>
    assert.deepEqual(
      messageOf(
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris', days: [1] } },
        { type: 'tool_use', id: 'toolu_2', name: 'time', input: {}, caller: { type: 'direct' } },
      ),
      {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          {
            id: 'toolu_1',
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Paris","days":[1]}' },
          },
          { id: 'toolu_2', type: 'function', function: { name: 'time', arguments: '{}' } },
        ],
      },
    ));

  it('of the vendor’s own tools, and unknown ones, are passed over', () =>
    assert.deepEqual(
      messageOf(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'tomorrow', text: 'x' },
        'x',
        text('Found.'),
      ),
      { role: 'assistant', content: 'Found.', refusal: null },
    ));

  it('keep the digits of whole numbers beyond a double', () => {
    const answer = answered(
      200,
      '{"content":[{"type":"tool_use","id":"t","name":"n","input":{"id":12345678901234567890}}]}',
    );
    assert.match(JSON.stringify(answer.body), /\{\\"id\\":12345678901234567890\}/);
  });
});

describe('a stop reason', () => {
  const call = { type: 'tool_use', id: 't', name: 'n', input: {} };
  const cases: readonly (readonly [unknown, string])[] = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['compaction', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['tomorrow', 'stop'],
    [null, 'stop'],
  ];
  for (const [given, expected] of cases) {
    it(`${JSON.stringify(given)} is ${expected}`, () =>
      assert.equal(choiceOf({ stop_reason: given })['finish_reason'], expected));
  }

  it('that is not given is tool_calls where there are some', () =>
    assert.equal(choiceOf({ stop_reason: null, content: [call] })['finish_reason'], 'tool_calls'));
});

it('a refusal of the vendor’s classifier says why', () => {
  const stopped = { type: 'refusal', category: 'cyber', explanation: 'Not this.' };
  const choice = choiceOf({ stop_reason: 'refusal', stop_details: stopped, content: [] });
  assert.deepEqual(choice['message'], { role: 'assistant', content: null, refusal: 'Not this.' });
});

describe('usage', () => {
  it('counts what was read from the cache and written to it as part of the prompt', () => {
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: 1111,
      cache_creation_input_tokens: 40,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 12 },
    };
    const answer = answered(200, message({ usage }));
    const parts = { cacheReadTokens: 1111, cacheWrite5mTokens: 40, reasoningTokens: 12 };
    assert.deepEqual(answer.usage, reportOf(1154, 20, parts));
    assert.deepEqual(answer.body['usage'], {
      prompt_tokens: 1154,
      completion_tokens: 20,
      total_tokens: 1174,
      prompt_tokens_details: { cached_tokens: 1111, cache_write_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 12 },
    });
  });

  for (const usage of [undefined, null, {}, { input_tokens: -1, output_tokens: 'x' }]) {
    it(`is not made up from ${JSON.stringify(usage)}`, () => {
      const answer = answered(200, message({ usage }));
      assert.equal(answer.usage, null);
      assert.equal('usage' in answer.body, false);
    });
  }
});

describe('an error', () => {
  it('keeps its status, its message and its kind', () => {
    const { status, body, usage } = answered(529, {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded', details: { error_code: 'busy' } },
      request_id: 'req_1',
    });
    assert.equal(status, 529);
    assert.equal(usage, null);
    assert.deepEqual(body, {
      error: {
        message: 'Overloaded',
        type: 'overloaded_error',
        param: null,
        code: 'busy',
        request_id: 'request-1',
      },
    });
  });

  it('that is not JSON, or not the vendor’s, keeps its status', () => {
    for (const text of ['<html>Bad gateway</html>', '', '{"message":"no"}', '[]']) {
      const { status, body } = answered(503, text);
      assert.equal(status, 503);
      assert.equal(object(body['error'])['message'], 'the upstream answered 503');
      assert.equal(object(body['error'])['type'], 'upstream_error');
    }
  });

  it('under a status of success has the status of its kind', () => {
    const { status, body } = answered(200, {
      type: 'error',
      error: { type: 'api_error', message: 'Internal server error' },
    });
    assert.equal(status, 500);
    assert.equal(object(body['error'])['message'], 'Internal server error');
  });

  it('replaces a successful response that is not a message', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const call = `{"content":[{"type":"tool_use","id":"a","name":"n","input":{"a":${deep}}}]}`;
    for (const text of [
      call,
      '',
      '{}',
      '{"input_tokens":3}',
      '{"content":"x"}',
      'null',
      '\ufffd',
    ]) {
      const { status, body, usage } = answered(200, text);
      assert.equal(status, 502, text);
      assert.equal(object(body['error'])['code'], 'unreadable_answer');
      assert.equal(usage, null);
    }
  });
});
