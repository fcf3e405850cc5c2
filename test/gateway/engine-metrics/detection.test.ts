// When an endpoint is asked for engine metrics and when it is given up, as the table of states says (specification, "States and
// transitions").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  afterAnswer,
  afterPass,
  isDue,
  notDetected,
} from '../../../src/gateway/engine-metrics/detection.ts';
import type { Answer, Detection } from '../../../src/gateway/engine-metrics/detection.ts';

const minuteMs = 60_000;
const intervalMs = 2000;

/** Asks whenever it is time to, from 0 on, and says at which minutes that was and what came of it. */
function askThrough(answers: readonly Answer[], from: Detection = notDetected(0)) {
  const askedAt: number[] = [];
  let detection = from;
  for (const answer of answers) {
    if (detection.kind === 'none') break;
    const scrapedAtMs = detection.nextAtMs;
    askedAt.push(scrapedAtMs / minuteMs);
    detection = afterAnswer(detection, answer, { scrapedAtMs, intervalMs });
  }
  return { detection, askedAt };
}

describe('an unknown endpoint', () => {
  it('is scraped once, then every five minutes without a reading, and given up after fifteen', () => {
    const { detection, askedAt } = askThrough(Array.from({ length: 9 }, () => 'none'));
    assert.deepEqual(askedAt, [0, 5, 10, 15]);
    assert.deepEqual(detection, { kind: 'none', mayRetry: true });
  });

  it('is settled as none at the second answer without engine metrics', () => {
    const { detection, askedAt } = askThrough(['foreign', 'foreign', 'reading']);
    assert.deepEqual(askedAt, [0, 5]);
    assert.deepEqual(detection, { kind: 'none', mayRetry: false });
  });

  it('is settled as none even if it did not respond in between', () =>
    assert.deepEqual(askThrough(['foreign', 'none', 'foreign', 'reading']).askedAt, [0, 5, 10]));

  it('is detected at the first reading, whatever came before', () => {
    for (const before of [[], ['foreign'], ['none', 'none', 'foreign']] as const) {
      assert.equal(askThrough([...before, 'reading']).detection.kind, 'detected');
    }
  });
});

it('a detected endpoint is scraped at every interval, even after a long silence', () => {
  const { detection, askedAt } = askThrough(['reading', 'none', 'foreign', 'foreign', 'none']);
  assert.equal(detection.kind, 'detected');
  const seconds = askedAt.map((minutes) => Math.round(minutes * 60));
  assert.deepEqual(seconds, [0, 2, 4, 6, 8]);
});

describe('an endpoint that was given up without a response', () => {
  const given = askThrough(['none', 'none', 'none', 'none']).detection;

  it('is scraped once more after it passes a health probe', () => {
    assert.equal(isDue(given, 60 * minuteMs), false);
    const again = afterPass(given, 60 * minuteMs);
    assert.equal(isDue(again, 60 * minuteMs), true);
    assert.equal(askThrough(['reading'], again).detection.kind, 'detected');
  });

  for (const answer of ['none', 'foreign'] as const) {
    it(`is settled when that question brings ${answer}`, () => {
      const { detection, askedAt } = askThrough([answer, 'reading'], afterPass(given, 0));
      assert.equal(askedAt.length, 1);
      assert.deepEqual(afterPass(detection, 0), { kind: 'none', mayRetry: false });
    });
  }
});

it('a settled endpoint is not scraped again', () => {
  const { detection } = askThrough(['foreign', 'foreign']);
  assert.equal(isDue(afterPass(detection, 60 * minuteMs), 61 * minuteMs), false);
});
