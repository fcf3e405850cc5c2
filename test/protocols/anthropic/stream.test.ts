// Tests that the chat chunks for a streamed message add up to it, and that a failure ends with an
// error.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { reportOf } from '../../harness/usage-report.ts';
import { gathered, object } from '../given.ts';
import {
  bytesOf,
  called,
  close,
  delta,
  ended,
  everything,
  open,
  ping,
  textBlock,
  start,
  thought,
} from './events.ts';
import type { Event } from './events.ts';
import { streamed } from './given.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'msg_1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'claude-answering',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (index: number, id: string, name: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
});
const given = (index: number, text: string) => ({
  tool_calls: [{ index, function: { arguments: text } }],
});
const tool = (id: string) => ({ type: 'tool_use', id, name: 'n', input: {} });
const piece = (index: number, text: string) =>
  delta(index, 'input_json_delta', { partial_json: text });
const opening = chunk({ role: 'assistant', content: '' });
const of = (...events: readonly (Event | string)[]) => streamed([bytesOf(...events)]);
const sum = (...events: readonly (Event | string)[]) => gathered(of(...events).chunks);

describe('a stream', () => {
  it('of text is one opening chunk, one a delta, one that ends it, and the mark', () => {
    const { chunks, isClean, failedStatus } = of(
      start(),
      ping,
      ...textBlock(0, 'Hel', 'lo'),
      ...ended('end_turn'),
    );
    assert.deepEqual(chunks, [
      opening,
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
    assert.equal(isClean, true);
    assert.equal(failedStatus, null);
  });

  it('of thinking is reasoning, without its signature', () => {
    const events = [
      start(),
      ...thought(0, 'H', '', 'm'),
      ...textBlock(1, 'So.'),
      ...ended('end_turn'),
    ];
    const { chunks } = of(...events);
    assert.deepEqual(chunks, [
      opening,
      chunk({ reasoning_content: 'H' }),
      chunk({ reasoning_content: 'm' }),
      chunk({ content: 'So.' }),
      chunk({}, 'stop'),
      '[DONE]',
    ]);
  });

  it('of calls numbers them by themselves and hands their arguments on piece by piece', () => {
    const { chunks } = of(
      start(),
      ...textBlock(0, 'Wait.'),
      ...called(1, ['toolu_1', 'weather'], '', '{"city":', '"Paris"}'),
      ...called(2, ['toolu_2', 'time'], ''),
      ...ended('tool_use'),
    );
    assert.deepEqual(chunks, [
      opening,
      chunk({ content: 'Wait.' }),
      chunk(call(0, 'toolu_1', 'weather')),
      chunk(given(0, '{"city":')),
      chunk(given(0, '"Paris"}')),
      chunk(call(1, 'toolu_2', 'time')),
      chunk(given(1, '{}')),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]);
  });

  it('of interleaved calls keeps their arguments apart', () => {
    const { calls } = sum(
      start(),
      open(3, tool('a')),
      open(4, tool('b')),
      piece(4, '{"b":'),
      piece(3, '{"a":'),
      piece(4, '2}'),
      piece(3, '1}'),
      close(3),
      close(4),
      ...ended('tool_use'),
    );
    assert.deepEqual(calls, [
      { id: 'a', name: 'n', arguments: '{"a":1}' },
      { id: 'b', name: 'n', arguments: '{"b":2}' },
    ]);
  });

  it('whose call starts with its arguments, and is never closed, still gives them', () => {
    const whole = { ...tool('a'), input: { a: 1 } };
    const { calls } = sum(start(), open(0, whole), ...ended('tool_use'));
    assert.deepEqual(calls, [{ id: 'a', name: 'n', arguments: '{"a":1}' }]);
  });

  it('of one of everything adds up', () =>
    assert.deepEqual(gathered(streamed([everything]).chunks), {
      content: 'Let me see…\n',
      reasoning: 'Größe 考える😀',
      refusal: '',
      calls: [
        { id: 'toolu_1', name: 'weather', arguments: '{"city":"Zürich 🏔"}' },
        { id: 'toolu_2', name: 'time', arguments: '{}' },
      ],
      finish: ['tool_calls'],
    }));

  it('that a classifier ends says why', () => {
    const details = { type: 'refusal', category: 'bio', explanation: 'Not this.' };
    const { refusal, finish } = sum(
      start(),
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details } },
      { type: 'message_stop' },
    );
    assert.deepEqual([refusal, finish], ['Not this.', ['content_filter']]);
  });

  it('with two message deltas ends once, for the reason that was given', () => {
    const [first] = ended('max_tokens', { output_tokens: 4 });
    const { chunks, usage } = of(
      start(),
      ...(first === undefined ? [] : [first]),
      { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 6 } },
      { type: 'message_stop' },
    );
    assert.deepEqual(gathered(chunks).finish, ['length']);
    assert.equal(usage?.completionTokens, 6);
  });

  it('that was spliced from two stays the answer that began', () => {
    const other = { type: 'message_start', message: { id: 'msg_2', model: 'x' } };
    const { chunks } = of(
      start(),
      ...textBlock(0, 'a'),
      other,
      ...textBlock(0, 'b'),
      ...ended('end_turn'),
    );
    assert.equal(gathered(chunks).content, 'ab');
    assert.equal(new Set(chunks.slice(0, -1).map((one) => object(one)['id'])).size, 1);
  });

  it('without its first event has the id of the request', () => {
    const [first] = of(...textBlock(0, 'Hi'), ...ended('end_turn')).chunks;
    const { id, model } = object(first);
    assert.deepEqual([id, model], ['chatcmpl-request-1', 'claude-asked']);
  });
});

const usageOf = (first: object, last: object | undefined) =>
  of(start(first), ...textBlock(0, 'Hi'), ...ended('end_turn', last)).usage;

describe('usage', () => {
  it('takes the prompt from the first event and the completion from the last', () =>
    assert.deepEqual(
      usageOf({ input_tokens: 1128, output_tokens: 1 }, { input_tokens: 2411, output_tokens: 50 }),
      reportOf(1128, 50),
    ));

  it('takes the prompt from the last event where the first counts nothing', () => {
    const last = { input_tokens: 43, output_tokens: 2 };
    assert.deepEqual(usageOf({ input_tokens: 0, output_tokens: 0 }, last), reportOf(43, 2));
    assert.deepEqual(usageOf({}, last), reportOf(43, 2));
  });

  it('takes the cache of the first event as part of the prompt', () =>
    assert.deepEqual(
      usageOf(
        { input_tokens: 4, cache_creation_input_tokens: 1167, cache_read_input_tokens: 5 },
        { output_tokens: 289, output_tokens_details: { thinking_tokens: 53 } },
      ),
      reportOf(1176, 289, { cacheReadTokens: 5, cacheWrite5mTokens: 1167, reasoningTokens: 53 }),
    ));

  it('is told only to clients that asked, in a chunk of its own before the mark', () => {
    const bytes = bytesOf(start(), ...textBlock(0, 'Hi'), ...ended('end_turn'));
    const asked = streamed([bytes], { includesUsage: true }).chunks;
    assert.equal(asked.at(-1), '[DONE]');
    assert.deepEqual(asked.at(-2), {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20 },
    });
    for (const one of asked.slice(0, -2)) assert.equal(object(one)['usage'], null);
    for (const one of streamed([bytes]).chunks)
      assert.equal(JSON.stringify(one).includes('usage'), false);
  });
});

const error = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code, request_id: 'request-1' },
});

describe('a stream that fails', () => {
  const truncated = error('the upstream ended its answer early', 'upstream_error', 'truncated');
  const overloaded = {
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
  };

  it('tells the vendor’s error as a chunk and ends', () => {
    const { chunks, isClean, usage } = of(
      start(),
      ...textBlock(0, 'Hi'),
      overloaded,
      ...textBlock(1, 'x'),
    );
    assert.deepEqual(chunks, [
      opening,
      chunk({ content: 'Hi' }),
      error('Overloaded', 'overloaded_error', null),
      '[DONE]',
    ]);
    assert.equal(isClean, false);
    assert.equal(usage, null);
  });

  it('with an error as its first event is an error, and says what status it has', () => {
    const { chunks, failedStatus } = of(overloaded);
    assert.deepEqual(chunks, [error('Overloaded', 'overloaded_error', null), '[DONE]']);
    assert.equal(failedStatus, 529);
    assert.equal(of({ type: 'error', error: { type: 'tomorrow' } }).failedStatus, 502);
    assert.equal(of().failedStatus, 502);
  });

  it('by breaking off says so, and is not counted', () => {
    const { chunks, isClean, usage } = of(start(), ...textBlock(0, 'Hi'));
    assert.deepEqual(chunks, [opening, chunk({ content: 'Hi' }), truncated, '[DONE]']);
    assert.equal(isClean, false);
    assert.equal(usage, null);
  });

  it('only at its very end is whole, and counted', () => {
    const [last] = ended('end_turn');
    const { chunks, isClean, usage } = of(
      start(),
      ...textBlock(0, 'Hi'),
      ...(last === undefined ? [] : [last]),
    );
    assert.deepEqual(chunks.slice(-2), [chunk({}, 'stop'), '[DONE]']);
    assert.deepEqual([isClean, usage?.promptTokens, usage?.completionTokens], [true, 11, 9]);
  });

  it('without any event ends with an error', () => {
    assert.deepEqual(of().chunks, [truncated, '[DONE]']);
    assert.deepEqual(of('<html>what?</html>').chunks, [truncated, '[DONE]']);
  });

  it('by an event without end says so', () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const { chunks } = streamed([bytesOf(start()), ...Array.from({ length: 17 }, () => piece)]);
    assert.deepEqual(chunks, [
      opening,
      error('the upstream sent an event that is too large', 'upstream_error', 'event_too_large'),
      '[DONE]',
    ]);
  });

  it('by arguments that are nested without end says so', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const block = `{"type":"tool_use","id":"a","name":"n","input":{"a":${deep}}}`;
    const { chunks } = of(
      start(),
      `data: {"type":"content_block_start","index":0,"content_block":${block}}\n\n`,
    );
    const message = 'the upstream response does not match its protocol';
    assert.deepEqual(chunks.slice(1), [
      error(message, 'upstream_error', 'unreadable_answer'),
      '[DONE]',
    ]);
  });

  it('writes nothing after its end', () => {
    const whole = bytesOf(start(), ...textBlock(0, 'Hi'), ...ended('end_turn'));
    const { chunks, isClean } = streamed([whole, whole, bytesOf(overloaded)]);
    assert.equal(chunks.filter((one) => one === '[DONE]').length, 1);
    assert.equal(isClean, true);
  });
});
