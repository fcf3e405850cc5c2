// Tests how long a host waits before it retries.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { backoffMs } from '../../src/agent/backoff.ts';

const limitMs = 30_000;
const waits = (random: number, counts: readonly number[]): readonly number[] =>
  counts.map((count) => backoffMs({ count, limitMs, askedMs: null }, random));

it('doubles the wait each time, up to the limit', () =>
  assert.deepEqual(
    waits(1, [1, 2, 3, 5, 6, 7, 1000]),
    [1000, 2000, 4000, 16_000, 30_000, 30_000, 30_000],
  ));

it('adds jitter: waits between half of that time and all of it', () =>
  assert.deepEqual([waits(0, [3, 9]), waits(0.5, [3, 9])].flat(), [2000, 15_000, 3000, 22_500]));

const asked = (askedMs: number): number => backoffMs({ count: 1, limitMs, askedMs }, 0);

it('waits at least as long as the control plane requests, up to the limit', () => {
  assert.deepEqual([asked(5000), asked(3_600_000)], [5000, 30_000]);
});
