// Retries wait as the specification says and stay within their share of the traffic.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

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

  it('waits the same after a transport fault', () => {
    const requestKey = 7;
    const afterFault = retryWaitMs(1, { status: null, requestKey });
    assert.equal(afterFault, retryWaitMs(1, { status: 503, requestKey }));
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

  it('starts again with each window', () => {
    const budget = freshRetryBudget();
    while (takeRetry(budget, 20_000));
    assert.equal(takeRetry(budget, 29_999), false);
    assert.equal(takeRetry(budget, 30_000), true);
  });
});
