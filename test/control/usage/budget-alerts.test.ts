// Tests the notifications of budgets: once per window and percentage, with several control planes
// and after a restart.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { principalId } from '../../../src/lib/ids.ts';
import { notified, setBudget, spent, take } from '../../harness/control/budgets.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const threshold = z.object({
  type: z.literal('budget_threshold'),
  kind: z.string(),
  percent: z.int(),
  spent: z.int(),
});

/** The kind, percentage and amount of each alert. */
const alerts = async (test: TestPlane) =>
  (await notified(test)).map((one) => {
    const { kind, percent, spent: amount } = threshold.parse(one);
    return [kind, percent, amount];
  });

describe('the alerts of a budget', () => {
  it('carry the budget and its window, and no name of a person', async (t) => {
    const clock = { ms: Date.parse('2026-11-23T12:00:00Z') };
    const test = await testPlane(t, { clock: () => clock.ms });
    const calendar = { unit: 'month', time_zone: 'Europe/Zurich' } as const;
    await setBudget(test, { tokens: 1000, calendar, alerts: [50] });
    await take(test, [spent(1, 600)], () => clock.ms);
    assert.deepEqual(await notified(test), [
      {
        type: 'budget_threshold',
        principal_id: 1,
        principal: 'bootstrap',
        kind: 'tokens',
        percent: 50,
        spent: 600,
        cap: 1000,
        window_start: '2026-11-23T12:00:00.000Z',
        window_end: '2026-11-30T23:00:00.000Z',
      },
    ]);
    const person = { text: null, ref: crypto.randomUUID(), fingerprint: 'ada' };
    const { events } = await test.run({
      command: { type: 'CreatePrincipal', name: person, kind: 'user', emailRef: null },
      secrets: [{ ref: person.ref, class: 'personal', plaintext: 'Ada' }],
    });
    const id = z.object({ id: z.int() }).parse(events[0]?.data).id;
    await setBudget(test, { tokens: 10 }, principalId.parse(id));
    await take(test, [spent(2, 10, { principal_id: id })], () => clock.ms);
    const [, last] = await notified(test);
    assert.equal(z.object({ principal: z.null() }).parse(last).principal, null);
    assert.doesNotMatch(JSON.stringify(last), /Ada/);
  });

  it('are sent once for each percentage that is reached, and for the cap', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000, costMicros: 100, alerts: [50, 80] });
    await take(test, [spent(1, 499)]);
    assert.deepEqual(await alerts(test), []);
    const second = spent(2, 1, { reported_cost_micros: 90 });
    await take(test, [second]);
    const first = [
      ['tokens', 50, 500],
      ['money', 50, 90],
      ['money', 80, 90],
    ];
    assert.deepEqual(await alerts(test), first);
    // The same rows again, and rows without a crossing.
    await take(test, [second, spent(3, 0)]);
    assert.deepEqual(await alerts(test), first);
    await take(test, [spent(4, 900)]);
    const all = [...first, ['tokens', 80, 1400], ['tokens', 100, 1400]];
    assert.deepEqual(await alerts(test), all);
  });

  it('are sent for the cap of a budget without percentages', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000 });
    await take(test, [spent(1, 1000)]);
    assert.deepEqual(await alerts(test), [['tokens', 100, 1000]]);
  });

  it('are sent once by several control planes that count at the same time, and after a restart', async (t) => {
    const test = await testPlane(t);
    const other = await test.another();
    await setBudget(test, { tokens: 400, alerts: [25, 50, 75] });
    await other.plane.refresh();
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 20 }, (_row, index) => spent(batch * 20 + index, 1)),
    );
    await Promise.all(
      batches.flatMap((batch, index) => [
        take(index % 2 === 0 ? test : other, batch),
        take(index % 2 === 0 ? other : test, batch),
      ]),
    );
    const expected = [25, 50, 75, 100];
    assert.deepEqual(
      (await alerts(test)).map(([, percent]) => percent),
      expected,
    );
    const late = await test.another();
    await take(late, [spent(500, 100)]);
    assert.equal((await alerts(test)).length, expected.length);
  });

  it('are sent again in the next window', async (t) => {
    const clock = { ms: Date.parse('2026-11-23T12:00:00Z') };
    const test = await testPlane(t, { clock: () => clock.ms });
    await setBudget(test, { tokens: 100, window: 'daily' });
    await take(test, [spent(1, 100)]);
    clock.ms += 24 * 60 * 60 * 1000;
    await test.plane.rebuild();
    await take(test, [spent(2, 99)]);
    assert.equal((await alerts(test)).length, 1);
    await take(test, [spent(3, 1)]);
    assert.deepEqual(await alerts(test), [
      ['tokens', 100, 100],
      ['tokens', 100, 100],
    ]);
  });

  it('are not sent for usage that is not stored', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 100 });
    await take(test, [spent(1, 100, { at: '2001-01-01T00:00:00Z' })]);
    assert.deepEqual(await alerts(test), []);
  });
});
