// Rate limits over a whole fleet: limiters that reconcile with a control plane, in simulated time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { createReconcile } from '../../src/control/usage/reconcile.ts';
import { principalId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import { limitsSet, plainName, principalCreated } from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const one = principalId.parse(1);
const intervalMs = 5000;

type Limits = Readonly<{ requests?: number; tokens?: number }>;
type Request = Readonly<{ atMs: number; replica: number; tokens?: number }>;

/** The limiters of a fleet. Each reconciles every five seconds, one after the other within them. */
function fleetOf(size: number, { requests, tokens }: Limits) {
  const clock = { ms: 0 };
  const { state } = given([
    principalCreated(1, plainName('p1')),
    limitsSet(1, requests ?? null, tokens ?? null),
  ]);
  const reconcile = createReconcile({ state: () => state, monotonic: () => clock.ms });
  const limiters = Array.from({ length: size }, () => new Limiter());
  const report = (index: number): void => {
    const limiter = limiters[index];
    const answer = reconcile({
      replica_id: `replica-${index}`,
      counts: (limiter?.takeDemand(10) ?? []).map((one) => ({
        principal_id: one.principalId,
        requests: one.requests,
        tokens: one.tokens,
      })),
    });
    assert.ok(!isRefusal(answer));
    limiter?.setShares(
      answer.allowances.map((share) => ({
        principalId: share.principal_id,
        requests: share.requests_share,
        tokens: share.tokens_share,
      })),
      { untilMs: clock.ms + 3 * intervalMs },
    );
  };
  let reports = 0;
  /** Reports that are due until then are made. */
  const advance = (toMs: number): void => {
    for (;;) {
      const dueMs = (Math.floor(reports / size) + (reports % size) / size) * intervalMs;
      if (dueMs > toMs) break;
      clock.ms = dueMs;
      report(reports++ % size);
    }
    clock.ms = toMs;
  };
  const limits = { requests_per_min: requests ?? null, tokens_per_min: tokens ?? null };
  const ask = ({ atMs, replica, tokens: cost = 1 }: Request) => {
    advance(atMs);
    const verdict = limiters[replica]?.admit(one, limits, { tokens: cost, nowMs: atMs });
    assert.ok(verdict !== undefined);
    return verdict;
  };
  const admitted = (asked: readonly Request[]) =>
    asked.filter((request) => ask(request).refusedBy === null);
  return { ask, admitted };
}

const times = (count: number, request: Request): Request[] =>
  Array.from({ length: count }, () => request);

const everySecond = (fromSecond: number, replica: number): Request[] =>
  Array.from({ length: 120 }, (_, second) => ({ atMs: (fromSecond + second) * 1000, replica }));

type Gap = Readonly<{ gapMs: number; replica: number }>;

function requestsAfter(gaps: readonly Gap[], size: number): Request[] {
  let atMs = 0;
  return gaps.map(({ gapMs, replica }) => ({ atMs: (atMs += gapMs), replica: replica % size }));
}

describe('a fleet', () => {
  for (const [limits, tokens, expected, retryAfterSeconds] of [
    [{ requests: 10 }, 1, 10, 6],
    [{ requests: 1 }, 1, 1, 60],
    [{ tokens: 1000 }, 300, 3, 12],
  ] as const) {
    for (const size of [1, 3, 6]) {
      it(`of ${size} admits all of ${JSON.stringify(limits)} at once at the one replica that is asked`, () => {
        const { admitted, ask } = fleetOf(size, limits);
        const request = { atMs: 12_000, replica: size - 1, tokens };
        assert.equal(admitted(times(20, request)).length, expected);
        assert.equal(ask(request).retryAfterSeconds, retryAfterSeconds);
      });
    }
  }

  it('admits at another replica what the first has left of the limit', () => {
    const { admitted } = fleetOf(6, { requests: 10 });
    assert.equal(admitted(times(4, { atMs: 1000, replica: 0 })).length, 4);
    assert.equal(admitted(times(20, { atMs: 7000, replica: 1 })).length, 6);
  });

  it('follows demand that moves to another replica within two intervals', () => {
    const { admitted } = fleetOf(3, { requests: 60 });
    assert.equal(admitted(everySecond(1, 0)).length, 120);
    const moved = admitted(everySecond(121, 1));
    assert.ok(moved.length >= 118, `${moved.length}`);
  });

  it('keeps Retry-After within the time in which the limit earns the request', () => {
    const request = fc.record({
      gapMs: fc.integer({ min: 0, max: 4000 }),
      replica: fc.nat(5),
      tokens: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(request, { maxLength: 200 }),
        (limit, size, requests) => {
          const { ask } = fleetOf(size, { requests: limit, tokens: limit * 100 });
          let atMs = 0;
          for (const { gapMs, replica, tokens } of requests) {
            atMs += gapMs;
            const { retryAfterSeconds, allowances } = ask({
              atMs,
              replica: replica % size,
              tokens,
            });
            for (const allowance of [allowances.requests, allowances.tokens]) {
              assert.ok(allowance !== null && allowance.remaining <= allowance.limit);
            }
            if (retryAfterSeconds !== null) assert.ok(retryAfterSeconds <= Math.ceil(60 / limit));
          }
        },
      ),
    );
  });
});

describe('whatever the demand over a fleet', () => {
  const demand = fc.array(
    fc.record({ gapMs: fc.integer({ min: 0, max: 3000 }), replica: fc.nat(5) }),
    { maxLength: 400 },
  );
  const sizes = fc.integer({ min: 1, max: 6 });
  const limit = fc.integer({ min: 1, max: 60 });

  it('one replica that is asked alone admits what a single bucket admits', () => {
    fc.assert(
      fc.property(sizes, limit, demand, (size, requests, asked) => {
        const alone = requestsAfter(asked, 1);
        const inFleet = fleetOf(size, { requests }).admitted(alone);
        assert.deepEqual(inFleet, fleetOf(1, { requests }).admitted(alone));
      }),
    );
  });

  it('no more than the limit is admitted a minute, and once the limit more at each replica', () => {
    fc.assert(
      fc.property(sizes, limit, demand, (size, requests, asked) => {
        const admitted = fleetOf(size, { requests }).admitted(requestsAfter(asked, size));
        for (const [index, first] of admitted.entries()) {
          for (const [count, { atMs }] of admitted.slice(index).entries()) {
            const minutes = (atMs - first.atMs) / 60_000;
            assert.ok(count + 1 <= requests * (size + minutes) + size);
          }
        }
      }),
    );
  });

  it('the fleet stays within the limit while demand exceeds it', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 12, max: 60 }), (size, requests) => {
        const { admitted } = fleetOf(size, { requests });
        const asked = Array.from({ length: 240 * 8 }, (_, index) => ({
          atMs: index * 125,
          replica: index % size,
        }));
        const settled = admitted(asked).filter(({ atMs }) => atMs >= 60_000);
        // Three minutes; what is left in the buckets at the start of them comes to a window at most.
        assert.ok(settled.length <= requests * 4 + size, `${settled.length}`);
        assert.ok(settled.length >= requests * 3 * 0.9 - size, `${settled.length}`);
      }),
    );
  });
});
