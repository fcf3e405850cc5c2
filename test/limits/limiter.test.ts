// Rate limits of one replica (specification, "Rate limit", Gateway rule 13).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { principalId } from '../../src/lib/ids.ts';
import { Limiter } from '../../src/limits/limiter.ts';

const one = principalId.parse(1);
const two = principalId.parse(2);

const limits = (requests: number | null, tokens: number | null = null) => ({
  requests_per_min: requests,
  tokens_per_min: tokens,
});

/** Asks at a second of the test; answers what a client sees. */
const asking =
  (limiter: Limiter, given: ReturnType<typeof limits>, id = one) =>
  (second: number, tokens = 1) => {
    const verdict = limiter.admit(id, given, { tokens, nowMs: second * 1000 });
    return verdict.retryAfterSeconds === null
      ? 'admitted'
      : `${verdict.refusedBy} after ${verdict.retryAfterSeconds}`;
  };

const times = <Value>(count: number, value: Value): Value[] =>
  Array.from({ length: count }, () => value);

describe('a limit on requests', () => {
  it('admits exactly its number at once, and says when the next one may come', () => {
    const ask = asking(new Limiter(), limits(3));
    const answers = [0, 0, 0, 0].map((second) => ask(second));
    assert.deepEqual(answers, [...times(3, 'admitted'), 'requests after 20']);
  });

  it('refills evenly and admits one request after the stated wait', () => {
    const ask = asking(new Limiter(), limits(3));
    for (const second of [0, 0, 0]) ask(second);
    assert.equal(ask(19.9), 'requests after 1');
    assert.deepEqual([ask(20), ask(20)], ['admitted', 'requests after 20']);
    assert.deepEqual(
      [120, 120, 120, 120].map((second) => ask(second)),
      [...times(3, 'admitted'), 'requests after 20'],
    );
  });

  it('is each principal’s own', () => {
    const limiter = new Limiter();
    const [mine, theirs] = [asking(limiter, limits(1)), asking(limiter, limits(1), two)];
    assert.deepEqual([mine(0), mine(0), theirs(0)], ['admitted', 'requests after 60', 'admitted']);
  });
});

describe('a limit on tokens', () => {
  it('is charged what a request may cost', () => {
    const ask = asking(new Limiter(), limits(null, 60));
    assert.deepEqual(
      [ask(0, 40), ask(0, 30), ask(0, 20)],
      ['admitted', 'tokens after 10', 'admitted'],
    );
  });

  it('is charged at least one token', () => {
    const ask = asking(new Limiter(), limits(null, 1));
    assert.deepEqual([ask(0, 0), ask(0, 0)], ['admitted', 'tokens after 60']);
  });

  it('admits a request above the whole limit when it is full, and goes into debt', () => {
    const ask = asking(new Limiter(), limits(null, 60));
    assert.equal(ask(0, 90), 'admitted');
    // 30 below zero: the whole of it is back after 90 seconds, one token after 31.
    assert.equal(ask(0, 90), 'tokens after 90');
    assert.equal(ask(0, 1), 'tokens after 31');
    assert.deepEqual([ask(30, 1), ask(31, 1)], ['tokens after 1', 'admitted']);
    const limiter = asking(new Limiter(), limits(null, 60));
    limiter(0, 1);
    assert.equal(limiter(0, 90), 'tokens after 1');
  });
});

describe('two limits', () => {
  it('are both checked before either is charged', () => {
    const limiter = new Limiter();
    const ask = asking(limiter, limits(2, 60));
    assert.equal(ask(0, 60), 'admitted');
    for (const _time of times(5, 0)) assert.equal(ask(0, 1), 'tokens after 1');
    assert.deepEqual([ask(1, 1), ask(1, 1)], ['admitted', 'requests after 29']);
  });

  it('return the longer wait when both refuse', () => {
    const ask = asking(new Limiter(), limits(1, 60));
    assert.equal(ask(0, 60), 'admitted');
    assert.equal(ask(0, 10), 'requests after 60');
  });
});

it('reports the limit, the remaining amount and the reset time', () => {
  const limiter = new Limiter();
  const ask = (second: number, tokens: number) =>
    limiter.admit(one, limits(60, 100), { tokens, nowMs: second * 1000 });
  const first = ask(0, 0.5);
  assert.deepEqual(first.allowances, {
    requests: { limit: 60, remaining: 59 },
    tokens: { limit: 100, remaining: 99 },
  });
  assert.equal(first.resetSeconds, 1);
  // 59.5 requests are left: that is floored.
  const second = ask(0.5, 49);
  assert.deepEqual(second.allowances.requests, { limit: 60, remaining: 58 });
  assert.equal(second.resetSeconds, 30);
  const refused = ask(0.5, 100);
  assert.deepEqual(refused.allowances.tokens, { limit: 100, remaining: 50 });
  assert.equal(limiter.admit(two, limits(null, 5), { tokens: 7, nowMs: 0 }).resetSeconds, 84);
  const unlimited = limiter.admit(two, limits(null, null), { tokens: 7, nowMs: 0 });
  assert.deepEqual(unlimited, {
    allowances: { requests: null, tokens: null },
    resetSeconds: 0,
    refusedBy: null,
    retryAfterSeconds: null,
  });
});

describe('a change of the limits', () => {
  it('fills nothing: a raised limit comes at its own pace', () => {
    const limiter = new Limiter();
    for (const second of [0, 0]) asking(limiter, limits(2))(second);
    const raised = asking(limiter, limits(60));
    assert.equal(raised(0), 'requests after 1');
    assert.equal(raised(1), 'admitted');
  });

  it('takes at once what a lowered limit does not allow', () => {
    const limiter = new Limiter();
    asking(limiter, limits(100))(0);
    const lowered = asking(limiter, limits(1));
    assert.deepEqual([lowered(0), lowered(0)], ['admitted', 'requests after 60']);
  });
});

/** Requests are limited to 60 a minute, one was made, and then this share is told. */
const withShare = (requests: number, untilSecond = 1000) => {
  const limiter = new Limiter();
  const ask = asking(limiter, limits(60));
  ask(0);
  limiter.setShares([{ principalId: one, requests, tokens: 1 }], {
    untilMs: untilSecond * 1000,
  });
  return { limiter, ask };
};

describe('a share', () => {
  it('narrows what is let through', () => {
    const { ask } = withShare(0.05);
    assert.deepEqual(
      [0, 0, 0, 0].map((second) => ask(second)),
      [...times(3, 'admitted'), 'requests after 1'],
    );
  });

  it('never makes one wait longer than the whole limit needs for the request', () => {
    const { ask } = withShare(1 / 60);
    // One request a minute, of sixty.
    assert.deepEqual([ask(0), ask(0)], ['admitted', 'requests after 1']);
  });

  it('is told as what is left of the whole limit, and when all of that is back', () => {
    const { limiter } = withShare(0.5);
    const verdict = limiter.admit(one, limits(60), { tokens: 1, nowMs: 0 });
    assert.deepEqual(verdict.allowances.requests, { limit: 60, remaining: 29 });
    assert.equal(verdict.resetSeconds, 31);
  });

  it('that grows pays off what a request too dear for a smaller one owes', () => {
    const limiter = new Limiter();
    const ask = asking(limiter, limits(1));
    const narrow = { principalId: one, requests: 1 / 6, tokens: 1 };
    limiter.setShares([narrow], { untilMs: 1e6 });
    assert.deepEqual([ask(0), ask(0)], ['admitted', 'requests after 60']);
    limiter.setShares([{ ...narrow, requests: 1 }], { untilMs: 1e6 });
    assert.deepEqual([ask(0), ask(60)], ['requests after 60', 'admitted']);
  });

  it('that shrinks and grows pays off a debt once', () => {
    const limiter = new Limiter();
    const ask = asking(limiter, limits(null, 1000));
    assert.equal(ask(0, 10_000), 'admitted');
    for (const second of Array.from({ length: 20 }, (_, index) => index)) {
      const tokens = second % 2 === 0 ? 0.1 : 1;
      limiter.setShares([{ principalId: one, requests: 1, tokens }], { untilMs: 1e6 });
      assert.match(ask(second), /^tokens after/);
    }
    assert.equal(ask(60), 'tokens after 489');
  });

  it('fills nothing when it grows', () => {
    const { limiter, ask } = withShare(0.05);
    for (const second of [0, 0, 0]) ask(second);
    limiter.setShares([{ principalId: one, requests: 1, tokens: 1 }], {
      untilMs: 1e6,
    });
    assert.deepEqual([ask(0), ask(1)], ['requests after 1', 'admitted']);
  });

  it('ends with its time: then the whole limit counts', () => {
    const { ask } = withShare(0.05, 60);
    assert.equal(ask(59), 'admitted');
    const { allowances } = withShare(0.05, 60).limiter.admit(one, limits(60), {
      tokens: 1,
      nowMs: 10 * 60_000,
    });
    assert.deepEqual(allowances.requests, { limit: 60, remaining: 59 });
  });

  it('of nothing lets nothing through', () => {
    const { ask } = withShare(0);
    assert.deepEqual([ask(0), ask(120)], ['requests after 1', 'requests after 1']);
  });

  it('of less than one request still lets one through, when the bucket is full', () => {
    const { ask } = withShare(1 / 120);
    // Half a request a minute.
    assert.deepEqual(
      [ask(0), ask(0), ask(119), ask(120)],
      ['admitted', 'requests after 1', 'requests after 1', 'admitted'],
    );
  });
});

describe('a principal that comes for the first time after the limits were divided', () => {
  const narrow = { principalId: one, requests: 0.25, tokens: 1 };
  const divided = () => {
    const limiter = new Limiter();
    limiter.setShares([narrow], { untilMs: 30_000 });
    const remaining = (second: number, id = one) =>
      limiter.admit(id, limits(60), { tokens: 1, nowMs: second * 1000 }).allowances.requests
        ?.remaining;
    return { limiter, remaining };
  };

  it('has the share that was told for it, because other replicas have met it', () =>
    assert.equal(divided().remaining(0), 14));

  it('has its whole limit when no replica has met it', () =>
    assert.equal(divided().remaining(0, two), 59));

  it('has its whole limit once that share has ended, or is told no more', () => {
    assert.equal(divided().remaining(30), 59);
    const { limiter, remaining } = divided();
    limiter.setShares([], { untilMs: 30_000 });
    assert.equal(remaining(0), 59);
  });

  it('has its own share with the next report', () => {
    const { limiter, remaining } = divided();
    remaining(0);
    limiter.setShares([{ ...narrow, requests: 1 / 6 }], { untilMs: 60_000 });
    assert.equal(remaining(0), 9);
  });
});

it('demand counts what was refused too, and is taken once', () => {
  const limiter = new Limiter();
  const ask = asking(limiter, limits(1));
  for (const second of [0, 0, 0]) ask(second, 10);
  assert.deepEqual(limiter.takeDemand(9), [{ principalId: 1, requests: 3, tokens: 30 }]);
  assert.deepEqual(limiter.takeDemand(9), [{ principalId: 1, requests: 0, tokens: 0 }]);
  asking(limiter, limits(1), two)(0);
  assert.equal(limiter.takeDemand(1).length, 1);
});

it('drops only principals that are idle and owe nothing', () => {
  const limiter = new Limiter();
  const hour = 3600;
  asking(limiter, limits(1))(0);
  asking(limiter, limits(null, 1), two)(0, 1000);
  asking(limiter, limits(1), principalId.parse(3))(hour - 60);
  asking(limiter, limits(1), principalId.parse(4))(hour);
  assert.deepEqual(
    limiter.takeDemand(9).map(({ principalId: id }) => id),
    [2, 3, 4],
  );
  assert.equal(asking(limiter, limits(null, 1), two)(hour, 1), 'tokens after 56400');
});

describe('whatever is asked', () => {
  const arrivals = fc.array(
    fc.record({
      gap: fc.integer({ min: 0, max: 20_000 }),
      tokens: fc.integer({ min: 0, max: 300 }),
    }),
    { maxLength: 200 },
  );

  it('no window lets through more than a full bucket and its refill', () => {
    const limit = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(limit, limit, fc.double({ min: 0.01, max: 1, noNaN: true }), arrivals, check),
    );
    type Arrival = { gap: number; tokens: number };
    function check(requests: number, tokens: number, share: number, arrivals: Arrival[]): void {
      const limiter = new Limiter();
      limiter.admit(one, limits(requests, tokens), { tokens: 1, nowMs: 0 });
      limiter.setShares([{ principalId: one, requests: share, tokens: share }], {
        untilMs: Infinity,
      });
      const admitted: { atMs: number; tokens: number }[] = [];
      let nowMs = 0;
      for (const { gap, tokens: cost } of arrivals) {
        nowMs += gap;
        const verdict = limiter.admit(one, limits(requests, tokens), { tokens: cost, nowMs });
        if (verdict.refusedBy === null) admitted.push({ atMs: nowMs, tokens: Math.max(1, cost) });
      }
      for (const [index, first] of admitted.entries()) {
        let sum = 0;
        for (const [place, { atMs, tokens: cost }] of admitted.slice(index).entries()) {
          const minutes = (atMs - first.atMs) / 60_000;
          // One request that is dearer than the bucket may be the last one in.
          const most = (size: number, dearest: number) =>
            size * (1 + minutes) + Math.max(0, dearest - size) + 1e-3;
          sum += cost;
          assert.ok(place + 1 <= most(requests * share, 1));
          assert.ok(sum <= most(tokens * share, cost), `${sum} tokens in ${minutes} minutes`);
        }
      }
    }
  });

  it('admits a request after the stated wait', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), arrivals, (limit, arrivals) => {
        const limiter = new Limiter();
        let nowMs = 0;
        for (const { gap, tokens } of arrivals) {
          nowMs += gap;
          const { retryAfterSeconds } = limiter.admit(one, limits(limit, limit), { tokens, nowMs });
          if (retryAfterSeconds === null) continue;
          nowMs += retryAfterSeconds * 1000;
          const again = limiter.admit(one, limits(limit, limit), { tokens, nowMs });
          assert.equal(again.retryAfterSeconds, null);
        }
      }),
    );
  });
});

it('predicts its answer without side effects', () => {
  const step = fc.record({ tokens: fc.nat(40), waitMs: fc.nat(5000), looks: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const limiter = new Limiter();
      const unasked = new Limiter();
      let nowMs = 0;
      for (const { tokens, waitMs, looks } of steps) {
        nowMs += waitMs;
        const given = limits(10, 100);
        for (let look = 0; look < looks; look++) limiter.wouldRefuse(one, given, { tokens, nowMs });
        const said = limiter.wouldRefuse(one, given, { tokens, nowMs });
        const verdict = limiter.admit(one, given, { tokens, nowMs });
        assert.equal(said, verdict.refusedBy !== null);
        assert.deepEqual(verdict, unasked.admit(one, given, { tokens, nowMs }));
      }
      assert.deepEqual(limiter.takeDemand(10), unasked.takeDemand(10));
    }),
  );
});
