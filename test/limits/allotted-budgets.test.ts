// Tests allotments of budgets over a whole fleet in simulated time: the spending and allotments of
// proxies, reports and deliveries that are lost, repeated or late, and the rules of the control plane
// on one table.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { principalId } from '../../src/lib/ids.ts';
import { AllottedBudgets } from '../../src/limits/allotted-budgets.ts';
import { allotBudget } from '../../src/limits/budget-allotment.ts';
import type { BudgetAllotments, SpendAsk } from '../../src/limits/reconciliation.ts';
import { Spending } from '../../src/limits/spending.ts';
import type { SpentRow } from '../../src/limits/spending.ts';
import type { CompiledBudget } from '../../src/snapshot/compile/callers.ts';
import { runs } from '../harness/property-runs.ts';

const one = principalId.parse(1);
const intervalMs = 5_000;
const tickMs = 250;

/** `known` is the number of replicas in the last answer. */
type Sent = Readonly<{ sequence: number; known: number | null; asks: readonly SpendAsk[] }>;

/** The tables of the control plane, with its rules. */
function controlPlane(cap: number) {
  const seen = new Map<string, { sequence: number; atMs: number; knows: number }>();
  const counted = new Map<string, number>();
  let held: Record<string, number> = {};
  let shortAtMs = -Infinity;
  let published = 0;
  const spent = (): number => [...counted.values()].reduce((sum, micros) => sum + micros, 0);
  const report = (
    replica: string,
    { sequence, known, asks }: Sent,
    nowMs: number,
  ): BudgetAllotments | null => {
    if ((seen.get(replica)?.sequence ?? 0) >= sequence) return null;
    seen.set(replica, { sequence, atMs: nowMs, knows: 1 });
    const alive = [...seen].filter(([, { atMs }]) => nowMs - atMs < 120_000);
    const live = new Map(alive.map(([name, { knows }]) => [name, knows]));
    const knows = Math.min(live.size, known ?? live.size);
    seen.set(replica, { sequence, atMs: nowMs, knows });
    const isShortNow = (): boolean => nowMs - shortAtMs < 15_000;
    const amounts = asks.map((ask) => {
      const given = {
        cap,
        counted: spent(),
        published,
        held,
        live,
        replica,
        wasShort: isShortNow(),
      };
      const { amount, isShort } = allotBudget(given, ask);
      held = { ...held, [replica]: amount };
      if (isShort) shortAtMs = nowMs;
      return { principal_id: one, dimension: 'micros' as const, amount };
    });
    const short = isShortNow() ? [{ principal_id: one, dimension: 'micros' as const }] : [];
    return { replicas: live.size, amounts, short };
  };
  /** Counts each row once. */
  const count = (rows: ReadonlyMap<string, number>): number => {
    for (const [id, micros] of rows) counted.set(id, micros);
    return spent();
  };
  const publish = (): number => (published = spent());
  return { report, count, spent, publish, published: () => published };
}

/** `crashed`: the process is replaced by a new one after its report was answered. */
type Fate = 'answered' | 'lost' | 'unanswered' | 'late' | 'crashed';

/** A request: its estimate, its cost, and how long it is in flight. */
type Asked = Readonly<{ estimate: number; cost: number; lastsMs: number }>;

const budgetOf = (cap: number, spent: number): CompiledBudget => ({
  caps: { tokens_total: null, cost_total_micros: cap },
  reported: { tokens_used: 0, cost_used_micros: spent, windowStartMs: 1 },
});

type Fleet = ReturnType<typeof fleetOf>;

/** Proxies that report regularly and when they run low, as `control-link/reconcile.ts` does. */
function fleetOf(size: number, cap: number, joinsMs: readonly number[] = []) {
  const control = controlPlane(cap);
  let nowMs = 0;
  let rows = 0;
  const tally = { accepted: 0, lost: 0, early: 0 };
  const late: (() => void)[] = [];
  const replicas = Array.from({ length: size }, (_, index) => {
    // Clocks of processes start at different times.
    const offsetMs = index * 1_234_567;
    const dueMs = joinsMs[index] ?? 0;
    const state = { sequence: 0, dueMs, deliverMs: index * 700, isLow: false, starts: 0 };
    const started = () => {
      const spending = new Spending();
      const budgets = new AllottedBudgets({ spending, outageShare: 0 });
      budgets.onLow(() => (state.isLow = true));
      const budget = budgetOf(cap, control.published());
      const rows = {
        queue: new Map<string, number>(),
        amounts: new Map<string, SpentRow | null>(),
      };
      return { spending, budgets, budget, ...rows, hasAsked: false };
    };
    let process = started();
    let flying: { endMs: number; end: () => void; excess: number }[] = [];
    /** The most that requests in flight at one time cost beyond their estimates. */
    let excessMost = 0;
    const report = (fate: Fate): void => {
      state.sequence += 1;
      state.isLow = false;
      state.dueMs = nowMs + intervalMs;
      const sentAtMs = nowMs + offsetMs;
      const known = process.budgets.replicas;
      const asks = process.budgets.takeAsks({ nowMs: sentAtMs, intervalMs, countMax: 100 });
      const name = `r${index}.${state.starts}`;
      const sent = { sequence: state.sequence, known, asks };
      if (fate === 'lost') return;
      if (fate === 'late') return void late.push(() => control.report(name, sent, nowMs));
      const answer = control.report(name, sent, nowMs);
      // The same request again, for example from a balancer.
      assert.equal(control.report(name, sent, nowMs), null);
      if (answer === null || fate === 'unanswered') return;
      if (fate === 'crashed') return crash();
      if (asks.length > 0) process.hasAsked = true;
      state.isLow ||= process.budgets.apply(answer, { sentAtMs, nowMs: sentAtMs });
    };
    /** Rows that were not delivered are never counted. */
    const crash = (): void => {
      for (const { end } of flying) end();
      flying = [];
      for (const micros of process.queue.values()) tally.lost += micros;
      process = started();
      state.starts += 1;
      state.sequence = 0;
      report('answered');
    };
    const deliver = (fate: Fate): void => {
      state.deliverMs = nowMs + intervalMs;
      if (process.queue.size === 0) return;
      const sentRows = new Map(process.queue);
      const ids = [...sentRows.keys()];
      const amounts = ids.map((id) => process.amounts.get(id) ?? null);
      const sentAt = process.spending.sending(amounts);
      if (fate === 'lost') return;
      const spent = control.count(sentRows);
      if (fate !== 'answered') return;
      const figure = { principalId: one, ...budgetOf(cap, spent).reported };
      process.spending.delivered(amounts, { figures: [figure], sentAt });
      for (const id of ids) process.queue.delete(id);
    };
    const ask = ({ estimate, cost, lastsMs }: Asked): boolean => {
      const { spending, budgets, budget, queue, amounts } = process;
      // It listens after its first report.
      if (budgets.replicas === null) return false;
      const { spent, inFlight } = spending.currentSpend(one, budget);
      if (spent.cost_used_micros + inFlight.cost_used_micros >= cap) return false;
      const ahead = { tokens: 0, micros: estimate };
      const asked = { caps: budget.caps, cost: ahead, nowMs: nowMs + offsetMs };
      if (!budgets.admit(one, budget, asked)) return false;
      const hold = spending.hold(one, budget, ahead);
      tally.accepted += cost;
      // A process that joins others may spend something before its first allotment.
      const isJoined = state.starts > 0 || joinsMs.length > 0;
      if (isJoined && !process.hasAsked) tally.early += Math.max(cost, estimate);
      const id = `row ${++rows}`;
      const end = (): void => {
        amounts.set(id, spending.conclude(hold, { tokens: 0, micros: cost }));
        queue.set(id, cost);
      };
      flying.push({ endMs: nowMs + lastsMs, end, excess: Math.max(0, cost - estimate) });
      const excess = flying.reduce((sum, request) => sum + request.excess, 0);
      excessMost = Math.max(excessMost, excess);
      return true;
    };
    const tick = (fate: Fate): void => {
      const ended = flying.filter(({ endMs }) => endMs <= nowMs);
      flying = flying.filter(({ endMs }) => endMs > nowMs);
      for (const { end } of ended) end();
      if (nowMs >= state.deliverMs) deliver(fate);
      if (state.isLow || nowMs >= state.dueMs) report(fate);
    };
    const read = (spent: number): void => void (process.budget = budgetOf(cap, spent));
    return { tick, ask, report, read, excess: () => excessMost };
  });
  const pass = (ms: number, fate: Fate = 'answered'): void => {
    const untilMs = nowMs + ms;
    while (nowMs < untilMs) {
      nowMs += Math.min(tickMs, untilMs - nowMs);
      for (const { tick } of replicas) tick(fate);
    }
  };
  const rounds = joinsMs.length > 0 ? [] : [1, 2];
  for (const _round of rounds) for (const { report } of replicas) report('answered');
  return {
    replicas,
    pass,
    tally,
    spent: control.spent,
    publish: () => {
      const spent = control.publish();
      for (const { read } of replicas) read(spent);
    },
    deliverLate: () => {
      for (const deliver of late.splice(0)) deliver();
    },
  };
}

const often = Array.from({ length: 6 }, () => 'answered' as const);
const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 9_000 }),
  replica: fc.nat(5),
  requests: fc.integer({ min: 0, max: 60 }),
  request: fc.record({
    estimate: fc.integer({ min: 0, max: 30 }),
    cost: fc.integer({ min: 0, max: 30 }),
    lastsMs: fc.integer({ min: 0, max: 12_000 }),
  }),
  fate: fc.constantFrom<Fate>(...often, 'lost', 'unanswered', 'late', 'crashed'),
  publishes: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function run(fleet: Fleet, steps: readonly Step[]): void {
  for (const { afterMs, replica, requests, request, fate, publishes } of steps) {
    fleet.pass(afterMs, fate);
    if (fate === 'answered') fleet.deliverLate();
    const asked = fleet.replicas[replica % fleet.replicas.length];
    if (publishes) fleet.publish();
    for (let count = 0; count < requests; count++) asked?.ask(request);
  }
}

/** Every replica has this many requests in each half second. */
function demand(fleet: Fleet, ms: number, asked: Asked & Readonly<{ each: number }>): void {
  for (let at = 0; at < ms; at += 500) {
    fleet.pass(500);
    for (const { ask } of fleet.replicas) for (let n = 0; n < asked.each; n++) ask(asked);
  }
}

describe('allotments of budgets over a fleet', () => {
  it('never accept more than the budget and the requests in flight allow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 3_000 }),
        fc.array(step, { maxLength: 80 }),
        fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 6 }),
        (size, cap, steps, joinsMs) => {
          const fleet = fleetOf(size, cap, joinsMs);
          run(fleet, steps);
          const { accepted, lost, early } = fleet.tally;
          const excess = fleet.replicas.reduce((sum, replica) => sum + replica.excess(), 0);
          const largest = Math.max(0, ...steps.map(({ request }) => request.estimate));
          // The first request of each replica, and the one that exceeds the budget.
          const bound = cap + lost + early + excess + (size + 1) * largest;
          assert.ok(accepted <= bound, `${accepted} of ${cap}, at most ${bound}`);
        },
      ),
      runs(300),
    );
  });

  for (const size of [2, 3, 5, 10]) {
    it(`use 95 % of a budget with ${size} replicas under steady demand, and never more`, () => {
      const cap = 10_000;
      const fleet = fleetOf(size, cap);
      demand(fleet, 120_000, { each: 10, estimate: 10, cost: 10, lastsMs: 1_000 });
      const { accepted } = fleet.tally;
      assert.ok(accepted <= cap && accepted >= 0.95 * cap, `${accepted}`);
    });
  }

  it('spend a budget once when another replica joins one that was alone', () => {
    const fleet = fleetOf(2, 1_800, [0, 1_000]);
    fleet.pass(1_250);
    // The first one learns of the other with its next report, in four seconds.
    const inFlight = 4;
    for (let at = 0; at < 3_000; at += 50) {
      for (const { ask } of fleet.replicas) {
        for (let n = 0; n < inFlight; n++) ask({ estimate: 10, cost: 18, lastsMs: 40 });
      }
      fleet.pass(50);
    }
    fleet.pass(20_000);
    const { accepted } = fleet.tally;
    assert.ok(accepted <= 1_800 + 2 * inFlight * 18, `${accepted}`);
  });

  it('refuse no request while much of the budget is left', () => {
    const fleet = fleetOf(5, 1_000_000);
    for (let at = 0; at < 60_000; at += 500) {
      fleet.pass(500);
      for (const { ask } of fleet.replicas)
        assert.ok(ask({ estimate: 500, cost: 500, lastsMs: 2_000 }));
    }
  });

  it('use all of a budget that is smaller than one request at each replica', () => {
    for (const [size, cap] of [
      [3, 1],
      [5, 2],
      [10, 7],
      [6, 30],
    ] as const) {
      const fleet = fleetOf(size, cap);
      demand(fleet, 60_000, { each: 1, estimate: 1, cost: 1, lastsMs: 100 });
      const { accepted } = fleet.tally;
      // Until the first answer, each replica may have one request in flight.
      assert.ok(accepted >= cap && accepted <= cap + size, `${accepted} of ${cap}`);
    }
  });

  it('accept a request that costs more than what is left', () => {
    const fleet = fleetOf(3, 100);
    const [a, b] = fleet.replicas;
    const large = { estimate: 70, cost: 70, lastsMs: 100 };
    assert.equal(a?.ask(large), true);
    fleet.pass(10_000);
    assert.equal(fleet.spent(), 70);
    for (let tries = 0; tries < 30 && b?.ask(large) === false; tries++) fleet.pass(1_000);
    fleet.pass(10_000);
    assert.equal(fleet.spent(), 140);
    assert.equal(a?.ask(large), false);
  });

  it('serve the only replica after a crash, a part of the budget at a time', () => {
    const fleet = fleetOf(1, 10_000);
    const [a] = fleet.replicas;
    const small = { estimate: 100, cost: 100, lastsMs: 100 };
    assert.ok(a?.ask(small));
    fleet.pass(5_000);
    fleet.pass(5_000, 'crashed');
    for (let at = 0; at < 100_000; at += 2_500) {
      fleet.pass(2_500);
      assert.ok(a?.ask(small));
    }
  });

  it('let others spend what a crashed replica did not, after two minutes', () => {
    const fleet = fleetOf(2, 1_000);
    const [a, b] = fleet.replicas;
    a?.ask({ estimate: 100, cost: 100, lastsMs: 100 });
    fleet.pass(20_000);
    fleet.pass(250, 'crashed');
    fleet.pass(130_000);
    const before = fleet.tally.accepted;
    for (let at = 0; at < 60_000; at += 500) {
      fleet.pass(500);
      b?.ask({ estimate: 10, cost: 10, lastsMs: 100 });
    }
    assert.equal(before + (fleet.tally.accepted - before), 1_000);
  });

  it('stop spending while no control plane answers', () => {
    const fleet = fleetOf(3, 1_000_000);
    demand(fleet, 10_000, { each: 1, estimate: 10, cost: 10, lastsMs: 100 });
    const [a] = fleet.replicas;
    fleet.pass(80_000, 'lost');
    assert.equal(a?.ask({ estimate: 10, cost: 10, lastsMs: 100 }), true);
    fleet.pass(20_000, 'lost');
    assert.equal(a?.ask({ estimate: 10, cost: 10, lastsMs: 100 }), false);
    fleet.pass(10_000);
    assert.equal(a?.ask({ estimate: 10, cost: 10, lastsMs: 100 }), true);
  });
});
