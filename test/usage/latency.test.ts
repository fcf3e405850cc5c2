// Tests that a latency that is read from its bucket is within one percent of the recorded one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { bucketStarts, latencyOf } from '../../src/usage/latency.ts';

const bucketOf = (ms: number): number => bucketStarts.filter((start) => start <= ms).length;

describe('the latency of a bucket', () => {
  it('is exact below 50 ms', () => {
    for (let ms = 0; ms < 50; ms++) assert.equal(latencyOf(bucketOf(ms)), ms);
  });

  it('is within one percent of each latency up to a week', () => {
    for (const start of bucketStarts.slice(50, -1)) {
      const bucket = bucketOf(start);
      const last = (bucketStarts[bucket] ?? 0) - 1;
      for (const ms of [start, last]) {
        assert.ok(Math.abs(latencyOf(bucket) - ms) <= ms / 100, `${latencyOf(bucket)} for ${ms}`);
      }
    }
  });
});
