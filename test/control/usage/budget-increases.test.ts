// Tests temporary increases of budgets: from the grant to their end, at control planes and proxies.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { endBudgetIncreases } from '../../../src/control/usage/budget-increases.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import { withSpending } from '../../../src/gateway/admission/admit.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { Spending } from '../../../src/limits/spending.ts';
import { principalCompiler } from '../../../src/snapshot/compile/callers.ts';
import { current, notified, one, setBudget, spent, take } from '../../harness/control/budgets.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const at = (text: string): number => Date.parse(text);
const newId = (): string => crypto.randomUUID();

/** Principal 1 has a budget of 100 tokens, and 50 more from 13:00 until 14:00. */
async function increased(t: TestContext) {
  const clock = { ms: at('2026-11-23T12:00:00Z') };
  const test = await testPlane(t, { clock: () => clock.ms });
  await setBudget(test, { tokens: 100, window: 'monthly', alerts: [80] });
  await increase(test, 50);
  return { test, clock };
}

const increase = ({ run }: TestPlane, tokens: number, endsAt = '2026-11-23T14:00:00.000Z') => {
  const reasonRef = newId();
  const command = {
    type: 'IncreaseBudget',
    id: one,
    tokens,
    costMicros: null,
    reasonRef,
    startsAt: '2026-11-23T13:00:00.000Z',
    endsAt,
    now: at('2026-11-23T12:00:00Z'),
  } as const;
  return run({ command, secrets: [{ ref: reasonRef, class: 'personal', plaintext: 'load test' }] });
};

/** True if a proxy with the current snapshot refuses requests at this time. */
function isRefused(test: TestPlane, nowMs: number): boolean {
  const snapshot = current(test);
  const compiled = compileSnapshot(snapshot);
  assert.ok(!isRefusal(compiled));
  const principal = snapshot.config.principals.find(({ id }) => id === one);
  assert.ok(principal);
  const caller = principalCompiler(snapshot, compiled.models)(principal);
  return withSpending(caller, new Spending(), () => nowMs).reachedCap !== null;
}

describe('an increase of a budget', () => {
  it('holds at proxies from its start to its end, without a new snapshot', async (t) => {
    const { test, clock } = await increased(t);
    await take(test, [spent(1, 120)], () => clock.ms);
    await test.plane.rebuild();
    for (const [time, refused] of [
      ['2026-11-23T12:59:59.999Z', true],
      ['2026-11-23T13:00:00Z', false],
      ['2026-11-23T13:59:59.999Z', false],
      ['2026-11-23T14:00:00Z', true],
    ] as const) {
      assert.equal(isRefused(test, at(time)), refused, time);
    }
  });

  it('adds up with others', async (t) => {
    const { test, clock } = await increased(t);
    await increase(test, 10, '2026-11-23T13:30:00.000Z');
    await take(test, [spent(1, 155)], () => clock.ms);
    await test.plane.rebuild();
    assert.equal(isRefused(test, at('2026-11-23T13:10:00Z')), false);
    assert.equal(isRefused(test, at('2026-11-23T13:30:00Z')), true);
  });

  it('is removed by an event at its end, once with several control planes', async (t) => {
    const { test, clock } = await increased(t);
    const other = await test.another({ clock: () => clock.ms });
    const end = ({ plane }: TestPlane) =>
      endBudgetIncreases({ plane, clock: () => clock.ms, newId });
    const { version } = test.plane.store.state();
    clock.ms = at('2026-11-23T13:59:59.999Z');
    await end(test);
    assert.equal(test.plane.store.state().version, version);
    clock.ms = at('2026-11-23T14:00:00Z');
    await Promise.all([end(test), end(other)]);
    await other.plane.refresh();
    await test.plane.refresh();
    const { position } = test.plane.store.state();
    assert.deepEqual(test.plane.store.state().principal.byId.get(one)?.budget?.increases, []);
    await Promise.all([end(test), end(other)]);
    assert.equal(test.plane.store.state().position, position);
    const budgets = current(test).config.principals.map(({ budget }) => budget);
    assert.doesNotMatch(JSON.stringify(budgets), /increases/);
  });

  it('counts in the cap of alerts', async (t) => {
    const { test, clock } = await increased(t);
    clock.ms = at('2026-11-23T13:00:00Z');
    await take(test, [spent(1, 119)], () => clock.ms);
    assert.deepEqual(await notified(test), []);
    await take(test, [spent(2, 1)], () => clock.ms);
    assert.equal((await notified(test)).length, 1);
    assert.match(JSON.stringify(await notified(test)), /"cap":150/);
  });
});
