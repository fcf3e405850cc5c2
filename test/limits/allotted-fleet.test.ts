// Tests allotments of rate limits over a whole fleet in simulated time: proxies' limiters, reports
// that are lost, repeated or late, and the rules of the control plane on one table.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { principalId } from '../../src/lib/ids.ts';
import { allot, startShareOf } from '../../src/limits/allotment.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import type { Allotments, LimitAsk } from '../../src/limits/reconciliation.ts';
import { runs } from '../harness/property-runs.ts';

const one = principalId.parse(1);
const minuteMs = 60_000;
const intervalMs = 5_000;

type Shares = Record<string, number>;

/** The tables of the control plane, with its rules. */
function controlPlane(limit: number) {
  const seen = new Map<string, { sequence: number; atMs: number }>();
  const starts = new Map<number, Shares>();
  const rows = new Map<string, { minute: number; held: Shares; isShort: boolean }>();
  const startsOf = (minute: number): Shares => {
    const found = starts.get(minute) ?? {};
    starts.set(minute, found);
    return found;
  };
  const take = (
    replica: string,
    asks: Readonly<{ sequence: number; limits: readonly LimitAsk[] }>,
    nowMs: number,
  ): Allotments | null => {
    if ((seen.get(replica)?.sequence ?? 0) >= asks.sequence) return null;
    seen.set(replica, { sequence: asks.sequence, atMs: nowMs });
    const live = [...seen.values()].filter(({ atMs }) => nowMs - atMs < 30_000).length;
    const minute = Math.floor(nowMs / minuteMs);
    const endsInMs = (minute + 1) * minuteMs - nowMs;
    for (const number of endsInMs <= 30_000 ? [minute, minute + 1] : [minute]) {
      startsOf(number)[replica] ??= startShareOf(startsOf(number), live);
    }
    const limits = asks.limits
      .filter((ask) => ask.minute >= minute && replica in startsOf(ask.minute))
      .map((ask) => {
        const name = `${ask.minute} ${ask.dimension}`;
        const row = rows.get(name) ?? { minute: ask.minute, held: {}, isShort: false };
        rows.set(name, row);
        const given = { limit, held: row.held, starts: startsOf(ask.minute), replica };
        const { amount, isShort } = allot({ ...given, replicas: live }, ask);
        row.held[replica] = amount;
        row.isShort ||= isShort;
        const { principal_id, dimension } = ask;
        return { principal_id, dimension, minute: ask.minute, amount };
      });
    const short = [...rows.values()]
      .filter((row) => row.isShort && row.minute >= minute)
      .map((row) => ({ principal_id: one, dimension: 'requests' as const, minute: row.minute }));
    return {
      minute,
      ends_in_ms: endsInMs,
      start_share: startsOf(minute)[replica] ?? 0,
      next_start_share: startsOf(minute + 1)[replica] ?? null,
      limits,
      short,
    };
  };
  return { take };
}

/** `crashed`: the process is replaced by a new one after its report was answered. */
type Fate = 'answered' | 'lost' | 'unanswered' | 'late' | 'crashed';
type Step = Readonly<{ afterMs: number; replica: number; requests: number; fate: Fate }>;

/** Limiters that report regularly and when they run low, as `control-link/reconcile.ts` does. */
function fleetOf(size: number, limit: number, outageShare = 0) {
  const control = controlPlane(limit);
  let nowMs = 0;
  const admitted = new Map<number, number>();
  const late: (() => void)[] = [];
  const limits = { requests_per_min: limit, tokens_per_min: null };
  const replicas = Array.from({ length: size }, (_, index) => {
    // Clocks of processes start at different times.
    const offsetMs = index * 1_234_567;
    const state = { sequence: 0, dueMs: 0, isLow: false, starts: 0 };
    const started = (): Limiter => {
      const limiter = new Limiter({ outageShare });
      limiter.onLow(() => (state.isLow = true));
      return limiter;
    };
    let limiter = started();
    const report = (fate: Fate): void => {
      state.sequence += 1;
      state.isLow = false;
      state.dueMs = nowMs + intervalMs;
      const sentAtMs = nowMs + offsetMs;
      const asks = {
        sequence: state.sequence,
        limits: limiter.allotted.takeAsks({ nowMs: sentAtMs, intervalMs, countMax: 100 }),
      };
      const name = `r${index}.${state.starts}`;
      if (fate === 'lost') return;
      if (fate === 'late') return void late.push(() => control.take(name, asks, nowMs));
      const answer = control.take(name, asks, nowMs);
      // The same request again, for example from a balancer.
      assert.equal(control.take(name, asks, nowMs), null);
      if (answer === null || fate === 'unanswered') return;
      if (fate === 'crashed') {
        limiter = started();
        state.starts += 1;
        return;
      }
      state.isLow ||= limiter.allotted.apply(answer, { sentAtMs, nowMs: sentAtMs });
    };
    const ask = (): boolean => {
      const verdict = limiter.admit(one, limits, { tokens: 1, nowMs: nowMs + offsetMs });
      if (verdict.refusedBy !== null) return false;
      const minute = Math.floor(nowMs / minuteMs);
      admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
      return true;
    };
    return { state, report, ask };
  });
  const pass = (ms: number, fate: Fate = 'answered'): void => {
    const untilMs = nowMs + ms;
    while (nowMs < untilMs) {
      nowMs += Math.min(250, untilMs - nowMs);
      for (const { state, report } of replicas)
        if (state.isLow || nowMs >= state.dueMs) report(fate);
    }
  };
  for (const { report } of replicas) report('answered');
  return {
    replicas,
    pass,
    admitted,
    deliverLate: () => {
      for (const deliver of late.splice(0)) deliver();
    },
  };
}

/** All of a minute's limit, for a single proxy. */
const wholeMinute = (minute: number): Allotments => ({
  minute,
  ends_in_ms: minuteMs,
  start_share: 10_000,
  next_start_share: null,
  limits: [],
  short: [],
});

const often = Array.from({ length: 6 }, () => 'answered' as const);
const fates: readonly Fate[] = [...often, 'lost', 'unanswered', 'late', 'crashed'];
const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 9_000 }),
  replica: fc.nat(5),
  requests: fc.integer({ min: 0, max: 80 }),
  fate: fc.constantFrom(...fates),
});

function run(fleet: ReturnType<typeof fleetOf>, steps: readonly Step[]): void {
  for (const { afterMs, replica, requests, fate } of steps) {
    fleet.pass(afterMs, fate);
    if (fate === 'answered') fleet.deliverLate();
    const asked = fleet.replicas[replica % fleet.replicas.length];
    for (let count = 0; count < requests; count++) asked?.ask();
  }
}

describe('allotments over a fleet', () => {
  it('never admit more than the limit in a minute, with lost, late and repeated reports', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 300 }),
        fc.array(step, { maxLength: 80 }),
        (size, limit, steps) => {
          const fleet = fleetOf(size, limit);
          run(fleet, steps);
          for (const count of fleet.admitted.values())
            assert.ok(count <= limit, `${count} of ${limit}`);
        },
      ),
      runs(300),
    );
  });

  for (const size of [1, 2, 3, 5, 7, 10]) {
    for (const hot of [1, size]) {
      it(`use 95 % of the limit if ${hot} of ${size} replicas have the demand`, () => {
        const limit = 600;
        const fleet = fleetOf(size, limit);
        for (let at = 0; at < 5 * minuteMs; at += 500) {
          fleet.pass(500);
          for (const { ask } of fleet.replicas.slice(0, hot)) {
            for (let count = 0; count < Math.ceil(20 / hot); count++) ask();
          }
        }
        for (const minute of [2, 3, 4]) {
          const used = fleet.admitted.get(minute) ?? 0;
          assert.ok(used <= limit && used >= 0.95 * limit, `minute ${minute}: ${used}`);
        }
      });
    }
  }

  it('admit all of a limit that is lower than the number of replicas', () => {
    for (const [size, limit] of [
      [3, 1],
      [3, 2],
      [6, 1],
      [7, 3],
    ] as const) {
      const fleet = fleetOf(size, limit);
      for (let at = 0; at < 5 * minuteMs; at += 1_000) {
        fleet.pass(1_000);
        for (const { ask } of fleet.replicas) ask();
      }
      for (const minute of [2, 3, 4]) assert.equal(fleet.admitted.get(minute), limit);
    }
  });

  it('serve the first request of a quiet principal at every replica', () => {
    const fleet = fleetOf(5, 60);
    fleet.pass(3 * minuteMs);
    for (const { ask } of fleet.replicas) assert.equal(ask(), true);
  });

  it('continue for the minutes that were handed out while no control plane answers, then as the setting says', () => {
    for (const outageShare of [0, 0.2]) {
      const fleet = fleetOf(2, 100, outageShare);
      fleet.pass(45_000);
      const admit = () =>
        fleet.replicas.map(({ ask }) => Array.from({ length: 200 }, ask).filter(Boolean).length);
      fleet.pass(30_000, 'lost');
      // Its start of the next minute was given before.
      assert.deepEqual(admit(), [25, 25]);
      fleet.pass(minuteMs, 'lost');
      assert.deepEqual(admit(), [100 * outageShare, 100 * outageShare]);
      fleet.pass(3 * minuteMs);
      assert.deepEqual(admit(), [25, 25]);
    }
  });

  it('are not given again for a minute that the clock of the database repeats', () => {
    const limiter = new Limiter({ outageShare: 0 });
    const limits = { requests_per_min: 10, tokens_per_min: null };
    const admit = () =>
      Array.from({ length: 20 }, () => limiter.admit(one, limits, { tokens: 1, nowMs: 0 })).filter(
        ({ refusedBy }) => refusedBy === null,
      ).length;
    for (const [minute, admitted] of [
      [100, 10],
      [90, 0],
      [91, 10],
    ] as const) {
      limiter.allotted.apply(wholeMinute(minute), { sentAtMs: 0, nowMs: 0 });
      assert.equal(admit(), admitted);
    }
  });

  it('serve a small limit at any replica after its next report', () => {
    const fleet = fleetOf(5, 3);
    fleet.pass(3 * minuteMs + 1_000);
    const [replica] = fleet.replicas;
    assert.equal(replica?.ask(), false);
    fleet.pass(1_000);
    assert.equal(replica?.ask(), true);
  });
});
