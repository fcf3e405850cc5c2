// Retries wait as the specification says and stay within their share of the traffic.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { pickRoundRobin } from '../../src/routing/policy/round-robin.ts';
import { countRequest, freshRetryBudget, retryWaitMs, takeRetry } from '../../src/routing/retry.ts';

describe('retryWaitMs', () => {
  it('waits 25, 50, then 100 ms, and up to half as much again', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(), (retry, requestKey) => {
        const baseMs = [25, 50][retry] ?? 100;
        const waitMs = retryWaitMs(retry, { status: 503, requestKey });
        assert.ok(waitMs >= baseMs && waitMs <= baseMs * 1.5);
        const limitedMs = retryWaitMs(retry, { status: 429, requestKey });
        assert.ok(limitedMs >= baseMs * 2 && limitedMs <= baseMs * 3);
        assert.equal(retryWaitMs(retry, { status: 503, requestKey }), waitMs);
      }),
    );
  });

  it('does not wait after a failure of transport', () => {
    assert.equal(retryWaitMs(1, { status: null, requestKey: 7 }), 0);
  });
});

const retriesAmong = (requests: number) => {
  const budget = freshRetryBudget();
  for (let request = 0; request < requests; request++) countRequest(budget, 20_000);
  let retries = 0;
  while (takeRetry(budget, 20_000)) retries++;
  return retries;
};

describe('a retry budget', () => {
  it('allows ten retries in ten seconds however little the traffic', () => {
    assert.equal(retriesAmong(0), 10);
    assert.equal(retriesAmong(50), 10);
  });

  it('allows a fifth of the traffic beyond that', () => assert.equal(retriesAmong(1000), 200));

  it('begins anew with each window', () => {
    const budget = freshRetryBudget();
    while (takeRetry(budget, 20_000));
    assert.equal(takeRetry(budget, 29_999), false);
    assert.equal(takeRetry(budget, 30_000), true);
  });
});

const backend = (restsUntilMs = 0) => ({ restsUntilMs });

describe('pickRoundRobin', () => {
  it('takes each backend in turn', () => {
    const backends = [backend(), backend(), backend()];
    const picks = [0, 1, 2, 3].map((turn) => pickRoundRobin(backends, [], turn, 100));
    assert.deepEqual(
      picks.map((pick) => backends.findIndex((candidate) => candidate === pick)),
      [0, 1, 2, 0],
    );
  });

  it('passes over a resting backend until its rest is over, and uses it as a last resort', () => {
    const resting = backend(500);
    const awake = backend();
    assert.equal(pickRoundRobin([resting, awake], [], 0, 100), awake);
    assert.equal(pickRoundRobin([resting, awake], [], 0, 500), resting);
    assert.equal(pickRoundRobin([resting, awake], [awake], 0, 100), resting);
  });

  it('picks nothing when every backend has been tried', () => {
    const only = backend();
    assert.equal(pickRoundRobin([only], [only], 5, 100), undefined);
    assert.equal(pickRoundRobin([], [], 5, 100), undefined);
  });
});
