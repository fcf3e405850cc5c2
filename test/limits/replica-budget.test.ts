// Tests the allotments of budgets at one replica: its reports, and windows and caps that change.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { principalId } from '../../src/lib/ids.ts';
import { AllottedBudgets } from '../../src/limits/allotted-budgets.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import { reconcileReport } from '../../src/limits/reconciliation.ts';
import { Spending } from '../../src/limits/spending.ts';
import type { CompiledBudget } from '../../src/snapshot/compile/callers.ts';

const one = principalId.parse(1);
const intervalMs = 5_000;

const budgetOf = (cap: number, spent: number): CompiledBudget => ({
  caps: { tokens_total: null, cost_total_micros: cap },
  reported: { tokens_used: 0, cost_used_micros: spent, windowStartMs: 1 },
});

describe('a client that asks for as many tokens as a number can express', () => {
  it('leaves reports valid, so that others keep their allotments', () => {
    const spending = new Spending();
    const budgets = new AllottedBudgets({ spending, outageShare: 0 });
    const limiter = new Limiter();
    const budget = budgetOf(1_000, 0);
    const limits = { requests_per_min: null, tokens_per_min: 100 };
    const whole = { minute: 1, ends_in_ms: 60_000, start_share: 10_000, next_start_share: 0 };
    const short = [{ principal_id: one, dimension: 'tokens' as const, minute: 1 }];
    limiter.allotted.apply({ ...whole, limits: [], short }, { sentAtMs: 0, nowMs: 0 });
    budgets.apply({ replicas: 2, amounts: [], short: [] }, { sentAtMs: 0, nowMs: 0 });
    for (let nowMs = 0; nowMs < 2_000; nowMs += 250) {
      const cost = { tokens: Number.MAX_SAFE_INTEGER, micros: Number.MAX_SAFE_INTEGER * 15 };
      if (budgets.admit(one, budget, { caps: budget.caps, cost, nowMs })) {
        spending.hold(one, budget, cost);
      }
      limiter.admit(one, limits, { tokens: Number.MAX_SAFE_INTEGER + 100, nowMs });
      const ahead = { nowMs, intervalMs, countMax: 100 };
      const asks = {
        sequence: nowMs,
        limits: limiter.allotted.takeAsks(ahead),
        budgets: budgets.takeAsks(ahead),
      };
      assert.ok(asks.limits.length > 0 && asks.budgets.length > 0);
      const report = { replica_id: 'a', counts: [], asks };
      assert.ok(reconcileReport.safeParse(report).success);
    }
  });
});

describe('the allotment of one replica', () => {
  const answer = { replicas: 4, amounts: [], short: [] };

  /** It has spent all of its allotment in the first window. */
  function spentReplica({ windowStartMs = 1 }: Readonly<{ windowStartMs?: number | null }> = {}) {
    const spending = new Spending();
    const budgets = new AllottedBudgets({ spending, outageShare: 0 });
    const times = { sentAtMs: 0, nowMs: 0 };
    budgets.apply(answer, times);
    const ask = (budget: CompiledBudget, micros: number, caps = budget.caps): boolean =>
      budgets.admit(one, budget, { caps, cost: { tokens: 0, micros }, nowMs: 0 });
    const whole = budgetOf(1_000, 900);
    const first = { ...whole, reported: { ...whole.reported, windowStartMs } };
    assert.ok(ask(first, 1));
    spending.hold(one, first, { tokens: 0, micros: 1 });
    const [asked] = budgets.takeAsks({ nowMs: 0, intervalMs, countMax: 10 });
    assert.equal(asked?.keeps, 5);
    const amounts = [{ principal_id: one, dimension: 'micros' as const, amount: 1 }];
    budgets.apply({ ...answer, amounts }, times);
    assert.ok(!ask(first, 1));
    return { ask, first };
  }

  it('is replaced by a part of what is left when the next window starts', () => {
    const { ask } = spentReplica();
    const next: CompiledBudget = {
      ...budgetOf(1_000, 0),
      reported: { tokens_used: 0, cost_used_micros: 0, windowStartMs: 2 },
    };
    assert.ok(!ask(next, 100));
    assert.ok(ask(next, 40));
  });

  it('is kept when the start of the window becomes known', () => {
    const { ask, first } = spentReplica({ windowStartMs: null });
    assert.ok(!ask(first, 1));
    assert.ok(!ask({ ...first, reported: { ...first.reported, windowStartMs: 1 } }, 1));
  });

  it('is replaced by a part of what is left while an increase is in force', () => {
    const { ask, first } = spentReplica();
    assert.ok(ask(first, 40, { tokens_total: null, cost_total_micros: 2_000 }));
  });

  /** Four replicas share a budget of 1,000, of which a twentieth is the start of each. */
  function startedReplica() {
    const spending = new Spending();
    const budgets = new AllottedBudgets({ spending, outageShare: 0 });
    const budget = budgetOf(1_000, 0);
    budgets.apply(answer, { sentAtMs: 0, nowMs: 0 });
    const ask = (micros: number, nowMs: number): boolean => {
      const cost = { tokens: 0, micros };
      return budgets.admit(one, budget, { caps: budget.caps, cost, nowMs });
    };
    assert.ok(ask(1, 0));
    spending.hold(one, budget, { tokens: 0, micros: 1 });
    const [asked] = budgets.takeAsks({ nowMs: 0, intervalMs, countMax: 10 });
    return { budgets, ask, asked };
  }

  it('is the start until the first answer arrives', () => {
    const { ask, asked } = startedReplica();
    assert.equal(asked?.keeps, 50);
    assert.ok(ask(40, 0));
    assert.ok(!ask(60, 0));
  });

  it('ends with an outage, because others got what was unused', () => {
    const { budgets, ask } = startedReplica();
    const amounts = [{ principal_id: one, dimension: 'micros' as const, amount: 500 }];
    budgets.apply({ ...answer, amounts }, { sentAtMs: 0, nowMs: 0 });
    assert.ok(ask(400, 0));
    const nowMs = 200_000;
    budgets.takeAsks({ nowMs, intervalMs, countMax: 10 });
    budgets.apply(answer, { sentAtMs: nowMs, nowMs });
    assert.ok(!ask(400, nowMs));
  });

  it('is not all that is left when the other replicas have not reported after an outage', () => {
    const { budgets, ask } = startedReplica();
    const nowMs = 200_000;
    budgets.takeAsks({ nowMs, intervalMs, countMax: 10 });
    budgets.apply({ ...answer, replicas: 1 }, { sentAtMs: nowMs, nowMs });
    assert.ok(!ask(400, nowMs));
    const later = nowMs + 5_000;
    budgets.takeAsks({ nowMs: later, intervalMs, countMax: 10 });
    const amounts = [{ principal_id: one, dimension: 'micros' as const, amount: 500 }];
    budgets.apply({ ...answer, replicas: 1, amounts }, { sentAtMs: later, nowMs: later });
    assert.ok(ask(400, later));
  });
});

describe('the reports of one replica', () => {
  const budget = budgetOf(1_000, 0);
  const answer = { replicas: 2, amounts: [], short: [] };
  const times = { sentAtMs: 0, nowMs: 0 };

  it('ask first for budgets that have too little for a request', () => {
    const budgets = new AllottedBudgets({ spending: new Spending(), outageShare: 0 });
    const others = [2, 3, 4].map((id) => principalId.parse(id));
    const short = others.map((id) => ({ principal_id: id, dimension: 'micros' as const }));
    budgets.apply({ ...answer, short }, times);
    const cost = { tokens: 0, micros: 200 };
    assert.ok(budgets.admit(one, budget, { caps: budget.caps, cost, nowMs: 0 }));
    const asks = budgets.takeAsks({ nowMs: 0, intervalMs, countMax: 2 });
    assert.deepEqual(
      asks.map((ask) => ask.principal_id),
      [one],
    );
    const later = budgets.takeAsks({ nowMs: 300, intervalMs, countMax: 10 });
    assert.deepEqual(new Set(later.map((ask) => ask.principal_id)), new Set(others));
  });

  it('declare what was spent while no control plane answered', () => {
    const spending = new Spending();
    const budgets = new AllottedBudgets({ spending });
    const cost = { tokens: 0, micros: 700 };
    assert.ok(budgets.admit(one, budget, { caps: budget.caps, cost, nowMs: 0 }));
    spending.hold(one, budget, cost);
    assert.ok(budgets.apply(answer, times), 'it reports again soon');
    const [ask] = budgets.takeAsks({ nowMs: 300, intervalMs, countMax: 10 });
    assert.equal(ask?.keeps, 700);
  });

  it('say what a replica keeps while it is the only one', () => {
    const spending = new Spending();
    const budgets = new AllottedBudgets({ spending, outageShare: 0 });
    budgets.apply({ ...answer, replicas: 1 }, times);
    const cost = { tokens: 0, micros: 100 };
    const ask = () => budgets.admit(one, budget, { caps: budget.caps, cost, nowMs: 0 });
    for (let count = 0; ask(); count++) {
      assert.ok(count < 5, 'at most half of the budget');
      spending.hold(one, budget, cost);
    }
    const [asked] = budgets.takeAsks({ nowMs: 0, intervalMs, countMax: 10 });
    assert.equal(asked?.keeps, 500);
  });
});
