// Tests how rates are computed from counters: differences within one replica, and gaps where they
// are unknown.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createFollower, ratesBetween } from '../../../../ui/lib/observe/live.ts';

const report = (replica: string, second: number, requests_ok: number) => ({
  replica,
  reported_at: new Date(second * 1_000).toISOString(),
  backends: [{ inflight: 2, admission: { in_use: 1, queued: 3, capacity: 8 } }],
  process: {
    requests_ok,
    requests_failed: 0,
    cache_hits: requests_ok,
    cache_misses: 0,
    rejected_unauthenticated: requests_ok,
    rejected_model_not_found: requests_ok * 2,
  },
});

it('a rate is a difference over the time between two reports', () => {
  const rates = ratesBetween(report('one', 0, 100), report('one', 10, 150));
  assert.deepEqual(rates, { ok: 5, failed: 0, hits: 5, misses: 0, unattributed: 15 });
});

it('a counter that decreases was reset and has no rate', () => {
  assert.equal(ratesBetween(report('one', 0, 100), report('one', 10, 3)), null);
});

it('the rate of the fleet is known if every replica has one', () => {
  const follower = createFollower();
  follower.take([report('one', 0, 100)], 1);
  follower.take([report('one', 10, 150)], 2);
  follower.take([report('one', 20, 200), report('two', 20, 9)], 3);
  follower.take([report('one', 30, 250), report('two', 30, 19)], 4);
  const rates = follower.samples().map(({ requestsPerSecond }) => requestsPerSecond);
  assert.deepEqual(rates, [null, 5, null, 6]);
});

it('a poll without a new report adds nothing, and gauges are summed', () => {
  const follower = createFollower();
  follower.take([report('one', 0, 100)], 1);
  follower.take([report('one', 0, 100)], 2);
  const [sample, ...more] = follower.samples();
  assert.equal(more.length, 0);
  assert.deepEqual(
    [sample?.inflight, sample?.admitted, sample?.queued, sample?.capacity],
    [2, 1, 3, 8],
  );
});

it('measures each replica by its own last two reports', () => {
  const follower = createFollower();
  follower.take([report('one', 0, 100), report('two', 5, 10)], 1);
  follower.take([report('one', 10, 150), report('two', 5, 10)], 2);
  follower.take([report('one', 10, 150), report('two', 15, 20)], 3);
  follower.take([report('one', 20, 170), report('two', 15, 20)], 4);
  const rates = follower.samples().map(({ requestsPerSecond }) => requestsPerSecond);
  assert.deepEqual(rates, [null, null, 6, 3]);
});

it('a silent replica does not keep its last rate', () => {
  const follower = createFollower();
  follower.take([report('one', 0, 100), report('two', 0, 10)], 1);
  follower.take([report('one', 10, 150), report('two', 10, 20)], 2);
  follower.take([report('one', 20, 200), report('two', 10, 20)], 3);
  follower.take([report('one', 40, 300), report('two', 10, 20)], 4);
  const rates = follower.samples().map(({ requestsPerSecond }) => requestsPerSecond);
  assert.deepEqual(rates, [null, 6, 6, null]);
});
