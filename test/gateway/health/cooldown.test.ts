// Tests the length of a backend's cooldown, and its end.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  afterFailure,
  afterServed,
  cooldownWithinClock,
  noCooldown,
  retryAfterMsMax,
  retryAfterMsOf,
} from '../../../src/gateway/health/cooldown.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');
const failed = (status: number | null, nowMs = noon, retryAfterMs: number | null = null) => ({
  status,
  retryAfterMs,
  nowMs,
});

describe('a backend cools down', () => {
  it('for a second, and twice as long each further time, up to a minute', () => {
    let cooldown = noCooldown;
    let nowMs = noon;
    const lasted: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      cooldown = afterFailure(cooldown, failed(turn % 2 === 0 ? 503 : null, nowMs));
      lasted.push((cooldown.untilMs - nowMs) / 1000);
      nowMs = cooldown.untilMs;
    }
    assert.deepEqual(lasted, [1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('no longer for the other requests of a burst that failed together', () => {
    const once = afterFailure(noCooldown, failed(503));
    const burst = afterFailure(once, failed(503, noon + 500));
    assert.deepEqual([burst.failures, burst.untilMs], [1, noon + 1000]);
  });

  it('for as long as a 429 asks, up to five minutes', () => {
    const lasts = (retryAfterMs: number) =>
      afterFailure(noCooldown, failed(429, noon, retryAfterMs)).untilMs - noon;
    assert.deepEqual([0, 300, 20_000, 86_400_000].map(lasts), [1000, 300, 20_000, retryAfterMsMax]);
    const prolonged = afterFailure(afterFailure(noCooldown, failed(503)), failed(429, noon, 9000));
    assert.equal(prolonged.untilMs, noon + 9000);
  });

  it('until it answers something else, or after a 429 until its time is over', () => {
    assert.equal(afterServed(afterFailure(noCooldown, failed(500)), noon + 1), noCooldown);
    const limited = afterFailure(noCooldown, failed(429));
    assert.equal(afterServed(limited, noon + 999), limited);
    assert.equal(afterServed(limited, noon + 1000), noCooldown);
  });

  it('no longer than five minutes when the clock is set back', () => {
    const cooldown = afterFailure(noCooldown, failed(503));
    assert.equal(cooldownWithinClock(cooldown, noon), cooldown);
    const back = cooldownWithinClock(cooldown, noon - 3_600_000);
    assert.equal(back.untilMs, noon - 3_600_000 + retryAfterMsMax);
  });
});

describe('the time that an answer asks for', () => {
  for (const [what, headers, waitMs] of [
    ['whole seconds', ['retry-after', '7'], 7000],
    ['a date', ['retry-after', 'Sat, 21 Nov 2026 12:00:30 GMT'], 30_000],
    ['a date that has passed', ['retry-after', 'Sat, 21 Nov 2026 11:00:00 GMT'], null],
    ['milliseconds, which count first', ['retry-after', '7', 'retry-after-ms', '250.5'], 250.5],
    ['a negative number', ['retry-after', '-7'], null],
    ['something else', ['retry-after', 'soon', 'retry-after-ms', '1e3'], null],
    ['nothing', ['content-type', 'text/plain'], null],
  ] as const) {
    it(`is read from ${what}`, () => assert.equal(retryAfterMsOf(headers, noon), waitMs));
  }
});
