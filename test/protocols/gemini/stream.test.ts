// Tests that the chat chunks for a streamed answer add up to it, and that a failure ends with an
// error.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { reportOf } from '../../harness/usage-report.ts';
import { gathered, object } from '../given.ts';
import {
  answer,
  bytesOf,
  called,
  everything,
  textPart,
  signed,
  stopped,
  thought,
} from './events.ts';
import type { Event } from './events.ts';
import { streamed } from './given.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'answer-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'gemini-answering',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const opening = chunk({ role: 'assistant', content: '' });
const call = (index: number, id: string, name: string, given: string, more: object = {}) =>
  chunk({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: given }, ...more }],
  });
const of = (...events: readonly (Event | string)[]) => streamed([bytesOf(...events)]);
const errorOf = (chunks: readonly unknown[]) => object(object(chunks.at(-2))['error']);

describe('a stream', () => {
  it('of text is one opening chunk, one a part, one that ends it, and the mark', () => {
    const { chunks, isClean, failedStatus } = of(
      answer([textPart('Hel')]),
      answer([textPart('lo')]),
      answer([textPart('')], stopped),
    );
    assert.deepEqual(chunks, [
      opening,
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    assert.deepEqual([isClean, failedStatus], [true, null]);
  });

  it('of thoughts is reasoning', () => {
    const { chunks } = of(answer([thought('Hm'), textPart('So.')], stopped));
    assert.deepEqual(chunks, [
      opening,
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'So.' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('of text that is signed hands the signature on as it comes', () => {
    const { chunks } = of(
      answer([textPart('So.')]),
      answer([signed(textPart(''), 'c2ln')], stopped),
    );
    assert.deepEqual(chunks, [
      opening,
      chunk({ content: 'So.' }),
      chunk({ extra_content: { google: { thought_signature: 'c2ln' } } }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('of calls gives each whole, numbered through all events', () => {
    const { chunks } = of(
      answer([signed(called('weather', { city: 'Paris' }), 'c2ln'), called('weather', {})]),
      answer([called('time')]),
      answer([textPart('')], stopped),
    );
    assert.deepEqual(chunks, [
      opening,
      call(0, 'call_answer-1_0', 'weather', '{"city":"Paris"}', {
        extra_content: { google: { thought_signature: 'c2ln' } },
      }),
      call(1, 'call_answer-1_1', 'weather', '{}'),
      call(2, 'call_answer-1_2', 'time', '{}'),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]);
  });

  it('of calls gives the first alone to a client that takes one at a time', () => {
    const pieces = [bytesOf(answer([called('a')]), answer([called('b')], stopped))];
    const { calls, finish } = gathered(streamed(pieces, { singleToolCall: true }).chunks);
    assert.deepEqual(calls, [{ id: 'call_answer-1_0', name: 'a', arguments: '{}' }]);
    assert.deepEqual(finish, ['tool_calls']);
  });

  it('of one of everything adds up', () =>
    assert.deepEqual(gathered(streamed([everything]).chunks), {
      content: 'Let me see…\n',
      reasoning: 'Größe 考える😀',
      refusal: '',
      calls: [
        { id: 'call_answer-1_0', name: 'weather', arguments: '{"city":"Zürich 🏔"}' },
        { id: 'call_answer-1_1', name: 'time', arguments: '{}' },
        { id: '96c1su3s', name: 'zone', arguments: '{}' },
      ],
      finish: ['tool_calls'],
    }));

  it('keeps the name that its first event gave it', () => {
    const other = {
      ...answer([textPart('x')], stopped),
      responseId: 'other',
      modelVersion: 'other',
    };
    const { chunks } = of(answer([textPart('Hi')]), other);
    assert.deepEqual(chunks[2], chunk({ content: 'x' }));
  });

  it('without a name is called by the request, its calls too', () => {
    const { chunks } = of({
      candidates: [{ content: { parts: [called('f')] }, finishReason: 'STOP' }],
    });
    assert.equal(object(chunks[0])['id'], 'chatcmpl-request-1');
    assert.equal(gathered(chunks).calls[0]?.id, 'call_request-1_0');
  });

  it('that is cut by its length says so', () => {
    const { chunks } = of(answer([textPart('x')], { finishReason: 'MAX_TOKENS' }));
    assert.deepEqual(gathered(chunks).finish, ['length']);
  });
});

describe('a stream that is blocked', () => {
  it('amid the answer says why', () => {
    const { chunks, isClean } = of(answer([textPart('x')]), {
      candidates: [{ finishReason: 'SAFETY' }],
    });
    const { content, refusal, finish } = gathered(chunks);
    assert.deepEqual(
      [content, refusal, finish],
      ['x', 'the answer was blocked: SAFETY', ['content_filter']],
    );
    assert.equal(isClean, true);
  });

  it('at the prompt says why', () => {
    const promptFeedback = { blockReason: 'BLOCKLIST' };
    const { chunks, usage } = of({ promptFeedback, usageMetadata: { promptTokenCount: 9 } });
    const { refusal, finish } = gathered(chunks);
    assert.deepEqual([refusal, finish], ['the prompt was blocked: BLOCKLIST', ['content_filter']]);
    assert.equal(usage?.promptTokens, 9);
  });
});

describe('usage of a stream', () => {
  const events = [
    answer([textPart('x')], {}, { promptTokenCount: 55, candidatesTokenCount: 4 }),
    answer([textPart('')], stopped, {
      promptTokenCount: 257,
      candidatesTokenCount: 8,
      thoughtsTokenCount: 3,
    }),
  ];
  const counted = reportOf(257, 11, { reasoningTokens: 3 });

  it('is what the last event counts', () => assert.deepEqual(of(...events).usage, counted));

  it('outlasts an event that counts nothing', () =>
    assert.deepEqual(of(...events, { usageMetadata: { trafficType: 'x' } }).usage, counted));

  it('is the last chunk for a client that asked, and null in the others', () => {
    const { chunks } = streamed([bytesOf(...events)], { includesUsage: true });
    assert.deepEqual(
      chunks.slice(0, -2).map((one) => object(one)['usage']),
      chunks.slice(0, -2).map(() => null),
    );
    const { choices, usage } = object(chunks.at(-2));
    assert.deepEqual(choices, []);
    assert.deepEqual(usage, {
      prompt_tokens: 257,
      completion_tokens: 11,
      total_tokens: 268,
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  it('is none without a clean end', () => assert.equal(of(...events.slice(0, 1)).usage, null));
});

const error = (more: object) => ({ error: { message: 'No.', ...more } });

describe('a stream that fails', () => {
  it('says so, and ends there', () => {
    const { chunks, isClean, failedStatus } = of(
      answer([textPart('Hi')]),
      error({ code: 503, status: 'UNAVAILABLE' }),
      answer([textPart('more')], stopped),
    );
    assert.deepEqual(chunks.slice(0, 2), [opening, chunk({ content: 'Hi' })]);
    assert.equal(chunks.length, 4);
    assert.deepEqual(errorOf(chunks), {
      message: 'No.',
      type: 'UNAVAILABLE',
      param: null,
      code: null,
      request_id: 'request-1',
    });
    assert.deepEqual([isClean, failedStatus], [false, 503]);
  });

  it('after its last word is not clean', () => {
    const { isClean, failedStatus, usage } = of(
      answer([textPart('Hi')], stopped, { promptTokenCount: 1 }),
      error({ status: 'INTERNAL' }),
    );
    assert.deepEqual([isClean, failedStatus, usage], [false, 500, null]);
  });

  it('before its first event returns only the error', () => {
    const { chunks, failedStatus } = of(error({ code: 429 }));
    assert.equal(chunks.length, 2);
    assert.equal(failedStatus, 429);
  });

  it('by breaking off says so', () => {
    for (const bytes of ['', bytesOf(answer([textPart('Hi')])).toString(), 'data: {"candid']) {
      const { chunks, isClean } = of(bytes);
      assert.equal(errorOf(chunks)['code'], 'truncated');
      assert.equal(isClean, false);
    }
  });

  it('by a call that comes in pieces says so, and gives none of that event', () => {
    for (const piece of [{ willContinue: true }, { partialArgs: [{ jsonPath: '$.a' }] }]) {
      const { chunks, isClean } = of(
        answer([textPart('Hi'), called('f', {}, piece), called('g', {})]),
        answer([textPart('')], stopped),
      );
      assert.equal(errorOf(chunks)['code'], 'unreadable_answer');
      assert.deepEqual([chunks.length, isClean], [3, false]);
    }
  });

  it('by an event that is too large says so', () => {
    const huge = Buffer.alloc(17 * 1024 * 1024, 'x');
    const { chunks } = streamed([bytesOf(answer([textPart('Hi')])), Buffer.from('data: '), huge]);
    assert.equal(errorOf(chunks)['code'], 'event_too_large');
  });
});
