// Tests that a latency that is read from its bucket is within one percent of the recorded one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { bucketStarts, latencyOf, percentilesIn } from '../../src/usage/latency.ts';

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

describe('the percentiles of counted requests', () => {
  it('are the latencies below which this share of requests is', () => {
    const buckets = [40, 10, 30, 20].map(bucketOf);
    assert.deepEqual(percentilesIn(buckets, [1, 50, 4, 45]), { p50: 10, p95: 20, p99: 30 });
  });

  it('are unknown without requests', () => {
    assert.deepEqual(percentilesIn([], []), { p50: null, p95: null, p99: null });
  });
});
