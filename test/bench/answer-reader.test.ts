// Tests that the load generator counts only complete and correct answers, however their bytes are
// split.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { createAnswerReader } from '../../bench/gateway/answer-reader.ts';
import { answerBody, answerOnWire } from '../../bench/gateway/workload.ts';

/**
 * Returns the number of answers in `pieces`. The memory of each piece is overwritten after it was
 * read.
 */
function countAnswers(pieces: readonly Buffer[], expected: Buffer): number {
  let answers = 0;
  const read = createAnswerReader(expected, () => answers++);
  for (const piece of pieces) {
    const memory = Buffer.from(piece);
    read(memory);
    memory.fill(0);
  }
  return answers;
}

function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...places.map((place) => place % bytes.length), bytes.length];
  const sorted = ends.toSorted((a, b) => a - b);
  return sorted.map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

for (const kind of ['json', 'sse', 'paced'] as const) {
  const onWire = (): Buffer => Buffer.concat(answerOnWire(kind));

  test(`answers of ${kind} are counted, wherever they are cut`, () => {
    const three = Buffer.concat([onWire(), onWire(), onWire()]);
    fc.assert(
      fc.property(fc.array(fc.nat(three.length - 1), { maxLength: 40 }), (places) => {
        assert.equal(countAnswers(cutAt(three, places), answerBody(kind)), 3);
      }),
    );
  });

  test(`an answer of ${kind} with one wrong byte is refused`, () => {
    const wrong = onWire();
    const at = wrong.indexOf('upstream-model');
    wrong[at] = 0x58;
    assert.throws(() => countAnswers([wrong], answerBody(kind)), /differs/);
  });

  test(`an answer of ${kind} that is longer or shorter than it should be is refused`, () => {
    const body = answerBody(kind);
    const longer = Buffer.concat([body, Buffer.from('x')]);
    assert.throws(() => countAnswers([onWire()], longer), /bytes and not/);
    const shorter = body.subarray(0, -1);
    assert.throws(() => countAnswers([onWire()], shorter), /bytes and not|differs/);
  });
}

test('does not count a truncated answer', () => {
  const whole = Buffer.concat(answerOnWire('sse'));
  assert.equal(countAnswers([whole.subarray(0, -2)], answerBody('sse')), 0);
});

test('rejects an answer whose status is not 200', () => {
  const refusal = Buffer.from('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
  assert.throws(() => countAnswers([refusal], answerBody('json')), /503/);
});

test('rejects an unterminated head once it is too long', () => {
  const endless = Buffer.from(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`);
  assert.throws(() => countAnswers([endless], answerBody('json')), /no end of its head/);
});
