// Tests that the events for a streamed chat completion add up to it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { callPiece, chunk, done, framesOf, gathered, streamed } from './given.ts';
import type { JsonObject } from '../../../src/protocols/json.ts';

const of = (...chunks: readonly (JsonObject | string)[]) => streamed([framesOf(...chunks)]);
const blocksOf = (...chunks: readonly (JsonObject | string)[]) =>
  gathered(of(...chunks).events).blocks;
const reasonOf = (...chunks: readonly (JsonObject | string)[]) =>
  Object(gathered(of(...chunks).events).end?.['delta']);

const text = (said: string) => ({ type: 'text', text: said });
const thinking = (said: string) => ({ type: 'thinking', thinking: said, signature: '' });
const toolUse = (id: string, input: string, name = 'n') => ({ type: 'tool_use', id, name, input });
const usageChunk = (usage: object) => ({ object: 'chat.completion.chunk', choices: [], usage });
const noUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

describe('a stream', () => {
  it('of text is one block, one delta a chunk, and what ended it', () => {
    const { events, isClean, failedStatus, usage } = of(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      usageChunk({ prompt_tokens: 9, completion_tokens: 2 }),
      done,
    );
    assert.deepEqual(events, [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'house',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: noUsage,
        },
      },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: text('') },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { ...noUsage, input_tokens: 9, output_tokens: 2 },
      },
      { type: 'message_stop' },
    ]);
    assert.deepEqual([isClean, failedStatus, usage?.promptTokens], [true, null, 9]);
  });

  it('tells each thing as soon as it comes', () => {
    const parts = [chunk({ content: 'a' }), chunk({ content: 'b' })];
    for (const [index] of parts.entries()) {
      const { events } = streamed([framesOf(...parts.slice(0, index + 1))]);
      assert.equal(events.filter(({ type }) => type === 'content_block_delta').length, index + 1);
    }
  });

  it('of thinking signs it with nothing before it is closed', () => {
    const { events } = of(chunk({ reasoning: 'hm' }), chunk({ content: 'So' }, 'stop'), done);
    const closing = events.slice(4, 6);
    assert.deepEqual(closing, [
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: '' } },
      { type: 'content_block_stop', index: 0 },
    ]);
    assert.deepEqual(gathered(events).blocks, [thinking('hm'), text('So')]);
  });

  const dialects: readonly [string, object][] = [
    ['reasoning', { reasoning: 'hm' }],
    ['reasoning_content', { reasoning_content: 'hm', content: null }],
    ['both at once', { reasoning: 'hm', reasoning_content: 'hm' }],
    ['details', { reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] }],
    ['parts', { content: [{ type: 'thinking', thinking: [text('hm')] }] }],
  ];
  for (const [what, delta] of dialects) {
    it(`knows reasoning as ${what}`, () =>
      assert.deepEqual(blocksOf(chunk({ ...delta }), chunk({ content: 'So' }, 'stop'), done), [
        thinking('hm'),
        text('So'),
      ]));
  }

  it('goes back to thinking in a block of its own', () =>
    assert.deepEqual(
      blocksOf(chunk({ reasoning: 'a' }), chunk({ content: 'b' }), chunk({ reasoning: 'c' }), done),
      [thinking('a'), text('b'), thinking('c')],
    ));
});

describe('calls', () => {
  const end = [chunk({}, 'tool_calls'), done];
  const called = (...deltas: readonly JsonObject[]) =>
    blocksOf(...deltas.map((delta) => chunk(delta)), ...end);

  it('come piece by piece, each in the next block', () => {
    const blocks = called(
      { content: 'Wait' },
      callPiece(0, '', { id: 'a', name: 'n' }),
      callPiece(0, '{"x"'),
      callPiece(0, ':1}'),
      callPiece(1, '', { id: 'b', name: 'n' }),
      callPiece(1, '{}'),
    );
    assert.deepEqual(blocks, [text('Wait'), toolUse('a', '{"x":1}'), toolUse('b', '{}')]);
  });

  it('are told while they come', () => {
    const { events } = streamed([
      framesOf(chunk(callPiece(0, '{"x"', { id: 'a', name: 'n' })), chunk(callPiece(0, ':1'))),
    ]);
    assert.equal(events.filter(({ type }) => type === 'content_block_delta').length, 2);
  });

  it('whose pieces are mixed are put in order', () =>
    assert.deepEqual(
      called(
        callPiece(0, '', { id: 'a', name: 'n' }),
        callPiece(1, '', { id: 'b', name: 'n' }),
        callPiece(1, '{"y":'),
        callPiece(0, '{"x":"}'),
        callPiece(1, '2}'),
        callPiece(2, '{}', { id: 'c', name: 'n' }),
        callPiece(0, '"}'),
      ),
      [toolUse('a', '{"x":"}"}'), toolUse('b', '{"y":2}'), toolUse('c', '{}')],
    ));

  it('are not split by text that comes amid their pieces', () =>
    assert.deepEqual(
      called(
        callPiece(0, '{"x"', { id: 'a', name: 'n' }),
        { content: 'by the ' },
        { content: 'way' },
        callPiece(0, ':1}'),
        { content: '.' },
      ),
      [toolUse('a', '{"x":1}'), text('by the way.')],
    ));

  const dialects: readonly [string, readonly JsonObject[], readonly object[]][] = [
    ['whole, in one chunk', [callPiece(0, '{}', { id: 'a', name: 'n' })], [toolUse('a', '{}')]],
    ['numbered from 1', [callPiece(1, '{}', { id: 'a', name: 'n' })], [toolUse('a', '{}')]],
    [
      'with an empty name in later pieces',
      [callPiece(0, '{', { id: 'a', name: 'n' }), callPiece(0, '}', { name: '' })],
      [toolUse('a', '{}')],
    ],
    [
      'with an id in every piece',
      [callPiece(0, '{', { id: 'a', name: 'n' }), callPiece(0, '}', { id: 'z' })],
      [toolUse('a', '{}')],
    ],
    [
      'with name and id in every piece',
      [callPiece(0, '{', { id: 'a', name: 'n' }), callPiece(0, '}', { id: 'a', name: 'n' })],
      [toolUse('a', '{}')],
    ],
    [
      'all numbered 0',
      [callPiece(0, '{}', { id: 'a', name: 'n' }), callPiece(0, '{}', { id: 'b', name: 'n' })],
      [toolUse('a', '{}'), toolUse('b', '{}')],
    ],
    [
      'without numbers and ids',
      [callPiece(undefined, '{}', { name: 'n' }), callPiece(undefined, '{}', { name: 'm' })],
      [toolUse('toolu_request-1_0', '{}'), toolUse('toolu_request-1_1', '{}', 'm')],
    ],
    [
      'whose name comes late',
      [callPiece(0, '{', { id: 'a' }), callPiece(0, '}', { name: 'n' })],
      [toolUse('a', '{}')],
    ],
    ['without arguments', [callPiece(0, '', { id: 'a', name: 'n' })], [toolUse('a', '')]],
  ];
  for (const [what, deltas, blocks] of dialects) {
    it(`are known ${what}`, () => assert.deepEqual(called(...deltas), blocks));
  }
});

describe('the end', () => {
  it('has the reason of the chunk that gave one, and the last counts', () => {
    const details = { cached_tokens: 4 };
    const { usage, events } = of(
      chunk({ content: 'a' }, null, {}),
      { ...chunk({}, 'length'), usage: { prompt_tokens: 1, completion_tokens: 1 } },
      usageChunk({ prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: details }),
      done,
    );
    const { end } = gathered(events);
    assert.deepEqual(end?.['delta'], { stop_reason: 'max_tokens', stop_sequence: null });
    assert.deepEqual(end['usage'], {
      ...noUsage,
      input_tokens: 5,
      cache_read_input_tokens: 4,
      output_tokens: 2,
    });
    assert.equal(usage?.promptTokens, 9);
  });

  it('reads counts next to the choices', () => {
    const more = { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 1 } } };
    assert.equal(of({ ...chunk({}, 'stop'), ...more }, done).usage?.promptTokens, 3);
  });

  it('is a sequence that was asked for and met', () =>
    assert.deepEqual(reasonOf(chunk({ content: 'a' }, 'stop', { stop_reason: 'END' }), done), {
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    }));

  it('is a refusal where the model refused', () => {
    const chunks = [chunk({ refusal: 'No' }), chunk({ refusal: '.' }), chunk({}, 'stop'), done];
    assert.deepEqual(blocksOf(...chunks), [text('No.')]);
    assert.equal(reasonOf(...chunks).stop_reason, 'refusal');
  });

  it('needs no mark where a reason was given', () => {
    const { isClean, events } = of(chunk({ content: 'a' }, 'stop'));
    assert.equal(isClean, true);
    assert.equal(events.at(-1)?.['type'], 'message_stop');
  });

  it('needs no reason where the mark was given', () =>
    assert.equal(reasonOf(chunk({ content: 'a' }), done).stop_reason, 'end_turn'));
});

describe('a failure', () => {
  const said = chunk({ content: 'a' });
  const error = { error: { message: 'slow down', code: 429 } };
  const told = { type: 'rate_limit_error', message: 'slow down' };

  it('says so in an event, after which nothing is told or counted', () => {
    const usage = usageChunk({ prompt_tokens: 1, completion_tokens: 1 });
    const { events, isClean, failedStatus, usage: counted } = of(said, usage, error, said, done);
    assert.deepEqual(gathered(events).error, told);
    assert.deepEqual([isClean, failedStatus, counted], [false, 429, null]);
  });

  it('before its first event is an error response', () => {
    const { events, failedBody } = of(error);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['error'],
    );
    assert.deepEqual(JSON.parse(failedBody?.toString() ?? ''), {
      type: 'error',
      error: told,
      request_id: 'request-1',
    });
  });

  it('is known by the name of its event', () => {
    const { failedStatus } = of(said, 'event: error\ndata: {"message":"m","status_code":503}\n\n');
    assert.equal(failedStatus, 503);
  });

  it('by breaking off says so', () => {
    for (const chunks of [[said], [], [': comment\n\n']]) {
      const { events, isClean, failedStatus } = of(...chunks);
      assert.deepEqual([isClean, failedStatus], [false, 502]);
      assert.equal(events.at(-1)?.['type'], 'error');
    }
  });

  it('by an end without a beginning says so', () => assert.equal(of(done).failedStatus, 502));
});

it('a call that waits for more than is kept is an error', () => {
  const large = 'x'.repeat(3 * 1024 * 1024);
  const { failedStatus } = of(
    chunk(callPiece(0, '{', { id: 'a', name: 'n' })),
    chunk(callPiece(1, large, { id: 'b', name: 'n' })),
    chunk(callPiece(1, large)),
  );
  assert.equal(failedStatus, 502);
});
