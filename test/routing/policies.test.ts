// Each policy chooses as the specification says, and none chooses a member that rests while
// another is up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { poolPolicy } from '../../src/lib/vocabulary.ts';
import type { PoolPolicy } from '../../src/lib/vocabulary.ts';
import { hashBytes, mixKey } from '../../src/routing/hash.ts';
import { idleView, readOnlyView } from '../../src/routing/idle-view.ts';
import type { Load } from '../../src/routing/load.ts';
import { createAffinity } from '../../src/routing/policy/affinity.ts';
import type { Choice } from '../../src/routing/policy/choice.ts';
import { nextLatency } from '../../src/routing/policy/lowest-latency.ts';
import { pickMember } from '../../src/routing/policy/pick.ts';
import { defaultTuning } from '../../src/snapshot/tuning.ts';

const nowMs = 1_000;
const load = (changes: Partial<Load> = {}): Load => ({
  inFlight: 0,
  engine: null,
  latencyMs: null,
  restsUntilMs: 0,
  coolsUntilMs: 0,
  ...changes,
});
const down: Partial<Load> = { restsUntilMs: nowMs + 1 };

/** Members with these loads, weighing the same unless said otherwise. */
const choice = (loads: readonly Partial<Load>[], changes: Partial<Choice> = {}): Choice => ({
  loads: loads.map(load),
  ids: loads.map((_, index) => index + 1),
  weights: loads.map(() => 1),
  key: 0,
  turn: { count: 0 },
  affinity: createAffinity(defaultTuning),
  nowMs,
  ...changes,
});

const busy = (...counts: readonly number[]) => counts.map((inFlight) => ({ inFlight }));
const quick = (...latencies: readonly (number | null)[]) =>
  latencies.map((latencyMs) => ({ latencyMs }));
const keys = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => mixKey(index, 7));

describe('without a policy', () => {
  it('members share conversations by their weights', () => {
    const weights = [1, 2, 5];
    const counts = [0, 0, 0];
    for (const key of keys(8_000)) {
      const index = pickMember(null, choice([{}, {}, {}], { weights, key }));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    for (const [index, weight] of weights.entries()) {
      assert.ok(Math.abs((counts[index] ?? 0) - weight * 1_000) < 150, counts.join());
    }
  });

  it('only conversations of a member that rests move, and come back with it', () => {
    const weights = [1, 2, 5];
    for (const key of keys(500)) {
      const whole = pickMember(null, choice([{}, {}, {}], { weights, key }));
      const without = pickMember(null, choice([{}, down, {}], { weights, key }));
      if (whole === 1) assert.notEqual(without, 1);
      else assert.equal(without, whole);
    }
  });
});

/** A table in which the second of three members has the conversation. */
const warmed = (key: number) => {
  const affinity = createAffinity(defaultTuning);
  const first = pickMember('cache-affinity', choice(busy(1, 0, 1), { key, affinity }));
  assert.equal(first, 1);
  return affinity;
};

describe('cache-affinity', () => {
  it('sends what is new to the least loaded and keeps it there', () => {
    const affinity = warmed(42);
    assert.equal(pickMember('cache-affinity', choice(busy(0, 8, 3), { key: 42, affinity })), 1);
  });

  it('spares a member that is busier by more than eight, and forgets nothing', () => {
    const affinity = warmed(42);
    assert.equal(pickMember('cache-affinity', choice(busy(0, 9, 3), { key: 42, affinity })), 0);
    assert.equal(pickMember('cache-affinity', choice(busy(0, 8, 3), { key: 42, affinity })), 1);
  });

  it('allows half as much again as the least loaded has, when that is more', () => {
    const affinity = warmed(42);
    assert.equal(pickMember('cache-affinity', choice(busy(20, 30, 20), { key: 42, affinity })), 1);
    assert.equal(pickMember('cache-affinity', choice(busy(20, 31, 20), { key: 42, affinity })), 0);
  });

  it('comes back to a member that was down', () => {
    const affinity = warmed(42);
    const away = [{}, down, {}];
    assert.notEqual(pickMember('cache-affinity', choice(away, { key: 42, affinity })), 1);
    assert.equal(pickMember('cache-affinity', choice([{}, {}, {}], { key: 42, affinity })), 1);
  });

  it('finds a member by its name wherever it stands, and a new one when it is gone', () => {
    const affinity = warmed(42);
    const moved = choice(busy(0, 0, 0), { key: 42, affinity, ids: [2, 3, 1] });
    assert.equal(pickMember('cache-affinity', moved), 0);
    const gone = choice(busy(1, 0), { key: 42, affinity, ids: [1, 3] });
    assert.equal(pickMember('cache-affinity', gone), 1);
  });

  it('is remembered by the next table of the same size, and forgotten by one of another', () => {
    const tuned = { ...defaultTuning, balance_abs: 0 };
    const next = createAffinity(tuned, warmed(42));
    assert.equal(
      pickMember('cache-affinity', choice(busy(3, 4, 2), { key: 42, affinity: next })),
      2,
    );
    assert.equal(
      pickMember('cache-affinity', choice(busy(3, 3, 3), { key: 42, affinity: next })),
      1,
    );
    const other = createAffinity({ ...tuned, affinity_slots: 1 }, next);
    assert.equal(
      pickMember('cache-affinity', choice(busy(3, 3, 2), { key: 42, affinity: other })),
      2,
    );
  });

  it('is not remembered for a request that will be refused', () => {
    const affinity = createAffinity(defaultTuning);
    const { affinity: still } = readOnlyView({ ...idleView(), affinity });
    assert.equal(pickMember('cache-affinity', choice(busy(1, 0), { key: 42, affinity: still })), 1);
    assert.equal(pickMember('cache-affinity', choice(busy(0, 1), { key: 42, affinity })), 0);
    const warm = warmed(42);
    const { affinity: read } = readOnlyView({ ...idleView(), affinity: warm });
    assert.equal(
      pickMember('cache-affinity', choice(busy(0, 0, 0), { key: 42, affinity: read })),
      pickMember('cache-affinity', choice(busy(0, 0, 0), { key: 42, affinity: warm })),
    );
  });

  it('does not confuse conversations that share a slot', () => {
    const affinity = warmed(42);
    const other = 42 + affinity.keys.length;
    assert.equal(pickMember('cache-affinity', choice(busy(0, 1, 1), { key: other, affinity })), 0);
  });
});

describe('least-loaded', () => {
  it('takes the fewest in flight', () =>
    assert.equal(pickMember('least-loaded', choice(busy(2, 1, 3))), 1));

  it('spreads conversations over equals', () => {
    const chosen = keys(50).map((key) =>
      pickMember('least-loaded', choice(busy(1, 1, 2), { key })),
    );
    assert.deepEqual(new Set(chosen), new Set([0, 1]));
  });
});

describe('lowest-latency', () => {
  it('takes the quickest, and takes those within 12.5 percent of it for equal', () => {
    assert.equal(pickMember('lowest-latency', choice(quick(200, 100, 113))), 1);
    const [a, b] = quick(100, 112.5);
    const loads = [
      { ...a, inFlight: 1 },
      { ...b, inFlight: 0 },
    ];
    assert.equal(pickMember('lowest-latency', choice(loads)), 1);
  });

  it('takes what has completed nothing as eligible, not as fastest', () => {
    const [measured, fresh] = quick(100, null);
    const loads = [
      { ...measured, inFlight: 0 },
      { ...fresh, inFlight: 1 },
    ];
    assert.equal(pickMember('lowest-latency', choice(loads)), 0);
    assert.equal(pickMember('lowest-latency', choice(loads.toReversed())), 1);
    assert.equal(pickMember('lowest-latency', choice(quick(null, null))), 0);
  });

  it('weighs the newest request by an eighth', () => {
    assert.equal(nextLatency(null, 80), 80);
    assert.equal(nextLatency(80, 160), 90);
  });
});

describe('round-robin', () => {
  it('takes the members in turn and passes over one that rests', () => {
    const turn = { count: 0 };
    const picks = (loads: readonly Partial<Load>[]) =>
      [1, 2, 3].map(() => pickMember('round-robin', choice(loads, { turn })));
    assert.deepEqual(picks([{}, {}, {}]), [0, 1, 2]);
    assert.deepEqual(picks([{}, down, {}]), [0, 2, 2]);
  });
});

describe('whatever the policy', () => {
  const policies = fc.constantFrom<PoolPolicy | null>(null, ...poolPolicy.options);
  const loads = fc.array(
    fc.record({
      inFlight: fc.nat(20),
      latencyMs: fc.option(fc.nat(1_000)),
      restsUntilMs: fc.constantFrom(0, nowMs + 1),
    }),
    { minLength: 1, maxLength: 16 },
  );

  it('a member that rests is chosen only when all do', () => {
    fc.assert(
      fc.property(policies, loads, fc.nat(), (policy, loads, key) => {
        const chosen = loads[pickMember(policy, choice(loads, { key }))];
        assert.ok(chosen !== undefined);
        const isAnyUp = loads.some(({ restsUntilMs }) => restsUntilMs <= nowMs);
        if (isAnyUp) assert.ok(chosen.restsUntilMs <= nowMs);
      }),
    );
  });

  it('one conversation has one member while nothing else changes', () => {
    const steady = fc.constantFrom<PoolPolicy | null>(null, 'cache-affinity', 'least-loaded');
    fc.assert(
      fc.property(steady, loads, fc.nat(), (policy, loads, key) => {
        const asked = choice(loads, { key });
        const first = pickMember(policy, asked);
        assert.equal(pickMember(policy, asked), first);
      }),
    );
  });
});

const hashOf = (text: string): number => {
  const bytes = Buffer.from(`--${text}--`);
  return hashBytes(bytes, 2, bytes.length - 2);
};

describe('hashBytes', () => {
  it('is MurmurHash3 of 32 bits', () => {
    assert.equal(hashOf(''), 0);
    assert.equal(hashOf('test'), 0xba6bd213);
    assert.equal(hashOf('Hello, world!'), 0xc0363e43);
    assert.equal(hashOf('The quick brown fox jumps over the lazy dog'), 0x2e4ff723);
  });
});
