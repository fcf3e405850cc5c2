// Tests budgets with calendar windows on real databases with the test's clock.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { budgetUsages, strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import {
  counted,
  current,
  setBudget,
  spent,
  startOf,
  take,
} from '../../harness/control/budgets.ts';
import { testPlane } from '../../harness/control/plane.ts';

const at = (text: string): number => Date.parse(text);

/**
 * A plane with the test's clock. Principal 1 has a budget of 1,000 tokens for each day in Zurich.
 * `window` is the stored start and end.
 */
async function withCalendarBudget(t: TestContext, start: string) {
  const clock = { ms: at(start) };
  const test = await testPlane(t, { clock: () => clock.ms });
  await setBudget(test, { tokens: 1000, calendar: { unit: 'day', time_zone: 'Europe/Zurich' } });
  const window = async () => {
    const [usage] = await budgetUsages(test.plane.db, [1]);
    return [usage?.window_start.toISOString(), usage?.window_end?.toISOString()];
  };
  return { test, clock, window };
}

describe('a calendar window', () => {
  it('follows the calendar in its time zone, through summer time', async (t) => {
    const { test, clock, window } = await withCalendarBudget(t, '2026-03-28T12:00:00Z');
    // The first window begins with the budget and ends with the day in Zurich.
    assert.deepEqual(await window(), ['2026-03-28T12:00:00.000Z', '2026-03-28T23:00:00.000Z']);
    await take(test, [spent(1, 10)]);
    clock.ms = at('2026-03-28T22:59:59.999Z');
    await test.plane.rebuild();
    assert.deepEqual(await counted(test), [10, 0]);
    clock.ms = at('2026-03-28T23:00:00Z');
    await test.plane.rebuild();
    assert.deepEqual(await counted(test), [0, 0]);
    // The day on which summer time begins has 23 hours.
    assert.deepEqual(await window(), ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
    clock.ms = at('2026-03-29T22:00:00Z');
    await test.plane.rebuild();
    assert.deepEqual(await window(), ['2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z']);
    assert.deepEqual(await strayBudgets(test.plane.db), []);
  });

  it('of a calendar continues with the present one after days without a control plane', async (t) => {
    const { test, clock, window } = await withCalendarBudget(t, '2026-11-20T12:00:00Z');
    clock.ms = at('2026-11-23T09:00:00Z');
    await test.plane.rebuild();
    assert.deepEqual(await window(), ['2026-11-22T23:00:00.000Z', '2026-11-23T23:00:00.000Z']);
  });

  it('of a calendar starts once and ends the same at all control planes', async (t) => {
    const { test, clock, window } = await withCalendarBudget(t, '2026-11-20T12:00:00Z');
    const other = await test.another({ clock: () => clock.ms });
    await take(test, [spent(1, 10)]);
    clock.ms = at('2026-11-20T23:00:00Z');
    await Promise.all([test.plane.rebuild(), other.plane.rebuild()]);
    await take(other, [spent(2, 7)]);
    await Promise.all([test.plane.rebuild(), other.plane.rebuild()]);
    assert.deepEqual(await counted(other), [7, 0]);
    assert.deepEqual(await window(), ['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z']);
    const [use] = current(other).overlay.budgets;
    assert.deepEqual([use?.window_start, use?.window_end], await window());
    assert.deepEqual(current(other).overlay.budgets, current(test).overlay.budgets);
  });

  it('keeps its spending when the budget changes to a calendar, and ends with its next boundary', async (t) => {
    const clock = { ms: Date.parse('2026-11-10T12:00:00Z') };
    const test = await testPlane(t, { clock: () => clock.ms });
    await setBudget(test, { tokens: 1000, window: 'monthly' });
    const start = await startOf(test);
    await take(test, [spent(1, 10)]);
    clock.ms = Date.parse('2026-11-23T09:00:00Z');
    const calendar = { unit: 'month', time_zone: 'Europe/Zurich' } as const;
    await setBudget(test, { tokens: 1000, calendar });
    await test.plane.rebuild();
    assert.deepEqual([await startOf(test), await counted(test)], [start, [10, 0]]);
    const [use] = current(test).overlay.budgets;
    assert.equal(use?.window_end, '2026-11-30T23:00:00.000Z');
    // Back to a fixed window, which counts from the same start.
    await setBudget(test, { tokens: 1000, window: 'monthly', calendar: null });
    await test.plane.rebuild();
    assert.deepEqual([await startOf(test), await counted(test)], [start, [10, 0]]);
    assert.equal(current(test).overlay.budgets[0]?.window_end, '2026-12-10T12:00:00.000Z');
  });

  it('that is over is not extended by a change of the budget', async (t) => {
    const { test, clock, window } = await withCalendarBudget(t, '2026-11-20T12:00:00Z');
    await take(test, [spent(1, 10)]);
    clock.ms = at('2026-11-21T09:00:00Z');
    await setBudget(test, { tokens: 2000 });
    await test.plane.rebuild();
    assert.deepEqual(await counted(test), [0, 0]);
    assert.deepEqual(await window(), ['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z']);
  });
});
