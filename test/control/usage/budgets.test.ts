// Tests the spending of budgets: counted once with the usage rows, reset one window at a time, and
// published to proxies under their version.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import { snapshotEtag } from '../../../src/snapshot/schema.ts';
import {
  counted,
  current,
  one,
  setBudget,
  spent,
  startOf,
  take,
} from '../../harness/control/budgets.ts';
import { receiptOf } from '../../harness/admin/usage.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const dayMs = 24 * 60 * 60 * 1000;

const told = (test: TestPlane): unknown =>
  current(test).overlay.budgets.map((use) => [
    use.principal_id,
    use.tokens_used,
    use.cost_used_micros,
  ]);

describe('a counter', () => {
  it('exists as long as its budget, and starts with the given spending', async (t) => {
    const test = await testPlane(t);
    await take(test, [spent(1, 100)]);
    assert.equal(await counted(test), null);
    await setBudget(test, { tokens: 1000, used: 40 });
    assert.deepEqual(await counted(test), [40, 0]);
    await take(test, [spent(2, 5)]);
    assert.deepEqual(await counted(test), [45, 0]);
    await test.run({ command: { type: 'ClearBudget', id: one } });
    assert.equal(await counted(test), null);
    await setBudget(test, { tokens: 1000 });
    assert.deepEqual(await counted(test), [0, 0]);
    await test.run({ command: { type: 'DeletePrincipal', id: one } });
    assert.equal(await counted(test), null);
  });

  it('keeps its spending and window when the budget changes', async (t) => {
    const test = await testPlane(t);
    const { events } = await setBudget(test, { tokens: 1000, window: 'daily', used: 40 });
    const start = await startOf(test);
    assert.equal(start, events[0]?.recordedAt);
    await setBudget(test, { costMicros: 5, window: 'weekly', used: 90 });
    assert.deepEqual(await counted(test), [40, 0]);
    assert.equal(await startOf(test), start);
  });

  it('adds tokens of both directions, and money, of each row once', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000, costMicros: 1000 });
    const batch = [
      spent(1, 10, { completion_tokens: 5, reported_cost_micros: 7 }),
      spent(2, 1),
      spent(3, 0, { status: 402, refusal: 'budget', usage_reported: false }),
    ];
    for (const _time of ['first', 'second', 'third']) await take(test, batch);
    await take(test, [...batch, spent(4, 2)]);
    assert.deepEqual(await counted(test), [18, 7]);
    assert.deepEqual(await strayBudgets(test.plane.db), []);
  });

  it('counts a batch once that reaches several replicas at a time', async (t) => {
    const test = await testPlane(t);
    const other = await test.another();
    await setBudget(test, { tokens: 1_000_000 });
    const batches = Array.from({ length: 8 }, (_, batch) =>
      Array.from({ length: 50 }, (_, index) => spent(batch * 50 + index, 1)),
    );
    await Promise.all(
      batches.flatMap((batch) => [take(test, batch), take(other, batch), take(test, batch)]),
    );
    assert.deepEqual(await counted(test), [400, 0]);
    assert.deepEqual(await strayBudgets(test.plane.db), []);
  });

  it('answers each batch with the spending, also of rows that were counted before', async (t) => {
    const test = await testPlane(t);
    assert.deepEqual(receiptOf(await take(test, [spent(9, 3)])).budgets, []);
    await setBudget(test, { tokens: 1000, used: 40 });
    const window_start = new Date((await startOf(test)) ?? 0).toISOString();
    const figure = (tokens_used: number, cost_used_micros = 0) => [
      { principal_id: 1, window_start, tokens_used, cost_used_micros },
    ];
    const batch = [spent(1, 10, { reported_cost_micros: 7 }), spent(2, 1)];
    assert.deepEqual(receiptOf(await take(test, batch)).budgets, figure(51, 7));
    await take(test, [spent(3, 100)]);
    assert.deepEqual(receiptOf(await take(test, batch)).budgets, figure(151, 7));
    const malformed = [{ ...spent(4, 5), model_id: 999 }];
    assert.deepEqual(receiptOf(await take(test, malformed)).budgets, []);
  });

  it('reports a reached cap at once, and only then', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 100, costMicros: 50 });
    let reached = 0;
    const { db, vault, refresh, store } = test.plane;
    const onReached = (): void => void reached++;
    const { state } = store;
    const intake = createUsageIntake({
      db,
      vault,
      state,
      refresh,
      onReached,
      notifyIn: noNotifier.notifyIn,
      clock: Date.now,
    });
    const takes = async (number: number, tokens: number, costMicros = 0): Promise<number> => {
      const row = spent(number, tokens, { reported_cost_micros: costMicros });
      await intake({ replica: 'r1', events: [row] });
      return reached;
    };
    assert.equal(await takes(1, 99), 0);
    assert.equal(await takes(2, 1), 1);
    assert.equal(await takes(2, 1), 1);
    assert.equal(await takes(3, 1), 1);
    await setBudget(test, { costMicros: 50 });
    assert.equal(await takes(4, 1000, 49), 1);
    assert.equal(await takes(5, 1000, 1), 2);
  });

  it('is bounded by the exactly representable range', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 5 });
    const most = Number.MAX_SAFE_INTEGER;
    await take(test, [spent(1, most, { completion_tokens: most }), spent(2, most)]);
    await take(test, [spent(3, most)]);
    assert.deepEqual(await counted(test), [most, 0]);
    assert.deepEqual(await strayBudgets(test.plane.db), []);
  });

  it('is reported when it differs from the sum of its rows', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000, used: 3 });
    await take(test, [spent(1, 10)]);
    await test.plane.db.query(sql`update op.budget_usage set tokens_used = tokens_used + 1`);
    assert.deepEqual(await strayBudgets(test.plane.db), [
      {
        principal_id: 1,
        counted_tokens: 14,
        counted_cost_micros: 0,
        summed_tokens: 13,
        summed_cost_micros: 0,
      },
    ]);
  });
});

/** A plane with the test's clock. Principal 1 has a daily budget of 1,000 tokens from `startMs`. */
async function withDailyBudget(t: TestContext) {
  const clock = { ms: Date.now() };
  const test = await testPlane(t, { clock: () => clock.ms });
  await setBudget(test, { tokens: 1000, window: 'daily' });
  const startMs = await startOf(test);
  assert.ok(startMs !== undefined);
  return { test, clock, startMs };
}

describe('a window', () => {
  it('starts the next window with nothing spent', async (t) => {
    const { test, clock, startMs } = await withDailyBudget(t);
    await take(test, [spent(1, 10)]);
    clock.ms = startMs + dayMs - 1;
    await test.plane.rebuild();
    assert.deepEqual([await startOf(test), await counted(test)], [startMs, [10, 0]]);
    clock.ms = startMs + dayMs;
    await test.plane.rebuild();
    assert.deepEqual([await startOf(test), await counted(test)], [startMs + dayMs, [0, 0]]);
    await take(test, [spent(2, 3)]);
    assert.deepEqual(await counted(test), [3, 0]);
    assert.deepEqual(await strayBudgets(test.plane.db), []);
  });

  it('moves once per rebuild, even when several are over, and never back', async (t) => {
    const { test, clock, startMs } = await withDailyBudget(t);
    clock.ms = startMs + 3.5 * dayMs;
    for (const windows of [1, 2, 3, 3]) {
      await test.plane.rebuild();
      assert.equal(await startOf(test), startMs + windows * dayMs);
    }
    clock.ms = startMs - 10 * dayMs;
    await test.plane.rebuild();
    assert.equal(await startOf(test), startMs + 3 * dayMs);
  });

  it('moves once when several replicas rebuild at a time', async (t) => {
    const { test, clock, startMs } = await withDailyBudget(t);
    const others = [await test.another({ clock: () => clock.ms })].concat(
      await test.another({ clock: () => clock.ms }),
    );
    clock.ms = startMs + 1.5 * dayMs;
    await Promise.all([test, ...others].map(({ plane }) => plane.rebuild()));
    assert.equal(await startOf(test), startMs + dayMs);
  });
});

describe('published spending', () => {
  it('reaches proxies with the next rebuild, under the same version and another number', async (t) => {
    const test = await testPlane(t);
    const { version } = await setBudget(test, { tokens: 100 });
    await test.plane.rebuild();
    assert.deepEqual(told(test), [[1, 0, 0]]);
    const before = current(test);
    await take(test, [spent(1, 100)]);
    await test.plane.rebuild();
    const after = current(test);
    assert.deepEqual(told(test), [[1, 100, 0]]);
    assert.deepEqual([after.version, after.config_hash], [version, before.config_hash]);
    assert.ok(after.overlay.seq > before.overlay.seq);
    const etag = snapshotEtag(after);
    assert.equal(test.plane.publisher.current()?.etag, etag);
  });

  it('is published at most once per rebuild, and not within a band', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000 });
    await test.plane.rebuild();
    const numbers: number[] = [];
    t.after(test.plane.publisher.onPublished(({ snapshot }) => numbers.push(snapshot.overlay.seq)));
    const before = current(test).overlay.seq;
    for (let number = 0; number < 10; number++) await take(test, [spent(number, 4)]);
    await test.plane.rebuild();
    assert.deepEqual(numbers, []);
    for (let number = 10; number < 20; number++) await take(test, [spent(number, 4)]);
    await test.plane.rebuild();
    await test.plane.rebuild();
    assert.deepEqual(numbers, [before + 1]);
    assert.deepEqual(told(test), [[1, 80, 0]]);
  });

  it('stays the same objects until it changes, whatever else is published', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 1000 });
    await test.plane.rebuild();
    const uses = () => test.plane.publisher.current()?.edition.overlay.budgets;
    const before = uses();
    await test.plane.rebuild();
    await test.run({ command: { type: 'CreateModel', name: 'm', fields: {} } });
    assert.equal(uses(), before);
    await take(test, [spent(1, 500)]);
    await test.plane.rebuild();
    assert.notEqual(uses(), before);
    assert.deepEqual(told(test), [[1, 500, 0]]);
  });

  it('is equal on all replicas, under one number', async (t) => {
    const test = await testPlane(t);
    const other = await test.another();
    await setBudget(test, { tokens: 100, used: 7 });
    await other.plane.refresh();
    await take(other, [spent(1, 50)]);
    for (const { plane } of [test, other, test]) await plane.rebuild();
    assert.deepEqual(told(test), [[1, 57, 0]]);
    assert.equal(other.plane.publisher.current()?.etag, test.plane.publisher.current()?.etag);
    assert.deepEqual(current(other), current(test));
    // Also by a replica that starts later.
    const late = await test.another();
    assert.deepEqual(current(late), current(test));
  });

  it('returns to zero with the next window', async (t) => {
    const { test, clock, startMs } = await withDailyBudget(t);
    await take(test, [spent(1, 1000)]);
    await test.plane.rebuild();
    assert.deepEqual(told(test), [[1, 1000, 0]]);
    clock.ms = startMs + dayMs;
    await test.plane.rebuild();
    assert.deepEqual(told(test), [[1, 0, 0]]);
  });

  it('is published with its window, even without spending', async (t) => {
    const { test, clock, startMs } = await withDailyBudget(t);
    const windows = () => current(test).overlay.budgets.map(({ window_start: start }) => start);
    await test.plane.rebuild();
    assert.deepEqual(windows(), [new Date(startMs).toISOString()]);
    const before = current(test).overlay.seq;
    clock.ms = startMs + dayMs;
    await test.plane.rebuild();
    assert.deepEqual(windows(), [new Date(startMs + dayMs).toISOString()]);
    assert.ok(current(test).overlay.seq > before);
  });

  it('is omitted for a deleted budget, and starts again for a new one', async (t) => {
    const test = await testPlane(t);
    await setBudget(test, { tokens: 100, used: 60 });
    await test.plane.rebuild();
    await test.run({ command: { type: 'ClearBudget', id: one } });
    assert.deepEqual(told(test), []);
    await setBudget(test, { tokens: 100 });
    await test.plane.rebuild();
    assert.deepEqual(told(test), [[1, 0, 0]]);
  });
});
