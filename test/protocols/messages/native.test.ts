// Tests that answers of a backend that speaks the Messages API are forwarded byte for byte and
// counted.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { messagesAsTheyAre } from '../../../src/protocols/messages/messages.ts';
import { withoutUnsignedThinking } from '../../../src/protocols/messages/unsigned-thinking.ts';
import { bytesOf as eventsOf, ended, everything, textBlock, start } from '../anthropic/events.ts';
import { user } from '../given.ts';
import { bytesOf, options, through, told } from './given.ts';

const answerOptions = {
  requestId: 'request-1',
  model: 'up',
  created: 0,
  singleToolCall: false,
  includesUsage: true,
};
const translation = messagesAsTheyAre(options);
const stream = () => translation.openStream(answerOptions);
const answer = (status: number, body: unknown) =>
  translation.translateResponse(status, bytesOf(body), answerOptions);

describe('a stream', () => {
  it('stays as it is, wherever it is cut', () => {
    const places = fc.array(fc.nat({ max: everything.length }), { maxLength: 30 });
    const once = stream();
    assert.ok(through(once, [everything]).equals(everything));
    assert.notEqual(once.usage, null);
    fc.assert(
      fc.property(places, (places) => {
        const at = [0, ...places.toSorted((a, b) => a - b), everything.length];
        const pieces = at.slice(1).map((stop, index) => everything.subarray(at[index], stop));
        const again = stream();
        assert.ok(through(again, pieces).equals(everything));
        assert.deepEqual(again.usage, once.usage);
        assert.equal(again.isClean, true);
      }),
      { numRuns: 100 },
    );
  });

  it('that failed does not end well, whatever follows', () => {
    const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const once = stream();
    once.push(eventsOf(start(), failure, ...ended('end_turn')));
    assert.deepEqual([once.isClean, once.failedStatus, once.usage], [false, 529, null]);
  });

  it('with bytes that were changed is passed on all the same', () => {
    const change = fc.tuple(fc.nat({ max: everything.length - 1 }), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const bytes = Buffer.from(everything);
        for (const [at, byte] of changes) bytes[at] = byte;
        assert.ok(through(stream(), [bytes]).subarray(0, bytes.length).equals(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it('counts the prompt by its first event, with its cache, and the answer by its last', () => {
    const first = { input_tokens: 4, cache_read_input_tokens: 100, cache_creation_input_tokens: 6 };
    const bytes = eventsOf(
      start(first),
      ...textBlock(0, 'Hi'),
      ...ended('end_turn', { input_tokens: 9, output_tokens: 5 }),
    );
    const { usage } = told(stream(), [bytes]);
    assert.deepEqual([usage?.promptTokens, usage?.completionTokens], [110, 5]);
  });

  it('that fails at first is an error with its status', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'm' } };
    const { failedStatus, failedBody, usage } = told(stream(), [eventsOf(error)]);
    assert.deepEqual([failedStatus, usage], [529, null]);
    assert.deepEqual(JSON.parse(failedBody?.toString() ?? ''), error);
  });

  it('that breaks off says so', () => {
    const { events, failedStatus } = told(stream(), [eventsOf(start(), ...textBlock(0, 'Hi'))]);
    assert.equal(failedStatus, 502);
    assert.equal(events.at(-1)?.['type'], 'error');
  });

  it('that only lacks its end marker gets it', () => {
    const bytes = eventsOf(start(), ...textBlock(0, 'Hi'), ...ended('end_turn').slice(0, 1));
    const { events, isClean } = told(stream(), [bytes]);
    assert.equal(isClean, true);
    assert.equal(events.at(-1)?.['type'], 'message_stop');
  });
});

describe('a whole answer', () => {
  it('stays as it is, and is counted', () => {
    const body =
      '{ "type":"message","role":"assistant","usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5} }';
    const { body: bytes, usage } = answer(200, body);
    assert.equal(bytes.toString(), body);
    assert.deepEqual([usage?.promptTokens, usage?.completionTokens], [7, 5]);
  });

  it('that is an error stays as it is, and a page in between becomes one', () => {
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"m"}}';
    assert.equal(answer(429, body).body.toString(), body);
    assert.match(answer(502, '<html>').body.toString(), /"type":"error"/);
  });
});

const without = (...messages: readonly object[]) => {
  const bytes = withoutUnsignedThinking(bytesOf({ model: 'house', messages, max_tokens: 1 }), 'up');
  return bytes === null ? null : JSON.parse(bytes.toString());
};

const turn = (...content: readonly object[]) => ({ role: 'assistant', content });

describe('thinking', () => {
  const signed = { type: 'thinking', thinking: 'a', signature: 'c2ln' };
  const unsigned = { type: 'thinking', thinking: 'b', signature: '' };
  const text = { type: 'text', text: 'Ho' };
  it('without a signature is left out of what the vendor is sent', () =>
    assert.deepEqual(
      without(user('Hi'), turn(unsigned, signed, text), turn(unsigned), user('So')),
      {
        model: 'up',
        messages: [user('Hi'), turn(signed, text), user('So')],
        max_tokens: 1,
      },
    ));

  it('with its signature leaves the request untouched', () =>
    assert.equal(without(user('Hi'), turn(signed, text)), null));
});
