// Tests that a verification of the ledger proves what is intact, and names each row that was changed, deleted, added or
// lost.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import * as fc from 'fast-check';

import { NumberSet } from '../../../src/control/usage/ledger/number-set.ts';
import { verifyLedger } from '../../../src/control/usage/ledger/verify-ledger.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { announceDrops } from '../../../src/control/usage/usage-numbers.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { ledgerPage } from '../../../src/db/usage/ledger/ledger-rows.ts';
import { usageBatch } from '../../../src/usage/usage-event.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';
import { reported } from '../../harness/admin/usage.ts';

const dayMs = 86_400_000;
const run = '01ARZ3NDEKTSV4RRFFQ6000000';
const replica = 'r1';
const card = { cache_read: 100_000, reasoning: 4_000_000 };

async function ledger(t: TestContext) {
  const started = await testAdministrator(t);
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...price });
  await started.send('PATCH', '/admin/models/1', { price_card: card });
  await started.send('PUT', '/admin/principals/1/budget', { cost_total_micros: 10_000_000 });
  const { plane } = started;
  const { db, reports, vault, store, refresh } = plane;
  const { notifyIn } = noNotifier;
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const intake = createUsageIntake({ db, vault, state: store.state, refresh, clock, notifyIn });
  const upkeep = createUsageUpkeep({
    db: reports,
    clock,
    retentionDays: 90,
    onFailure: assert.fail,
  });
  const deliver = async (events: readonly unknown[], assigned?: number): Promise<void> => {
    const sender = assigned === undefined ? {} : { sender: { replica, run, assigned } };
    await intake(usageBatch.parse({ replica, events, ...sender }));
  };
  const verify = () => verifyLedger({ db: reports, clock });
  const problems = async (): Promise<unknown[]> => {
    const { problems, problemCount } = await verify();
    assert.equal(problemCount, problems.length);
    return problems.map(({ problem: _text, ...where }) => where);
  };
  return { plane, db, time, clock, upkeep, deliver, verify, problems };
}

/** Rows of all kinds of cost. */
const numbered = (seq: number, change: Readonly<Record<string, unknown>> = {}) => {
  const kinds = [
    {},
    { cache_read_tokens: 900, reasoning_tokens: 100 },
    { cached: true },
    { reported_cost_micros: 77 },
    { usage_reported: false, usage_estimated: true },
    { input_audio_tokens: 5 },
  ];
  return reported(seq, { run, seq, ...kinds[seq % kinds.length], ...change });
};
const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_value, index) => numbered(from + index));

const at = (kind: string, first: number, last = first) => ({ kind, replica, run, first, last });
const idOf = (seq: number): string => reported(seq).id;

describe('the verification of the ledger', () => {
  it('proves an intact ledger, also with rolled-up, unnumbered and dropped rows', async (t) => {
    const { deliver, verify, time, upkeep, plane, clock } = await ledger(t);
    const old = { at: new Date(time.now - 100 * dayMs).toISOString() };
    await deliver([...rows(1, 20), ...[21, 22].map((seq) => numbered(seq, old))]);
    await deliver([reported(900), numbered(23, { model_id: 99 })], 23);
    await announceDrops({ plane, clock });
    time.now += 2 * dayMs;
    await upkeep.run();
    const { pending, problems, ...counts } = await verify();
    assert.deepEqual([pending, problems], [[], []]);
    assert.deepEqual(counts, {
      rows: 21,
      rolledUp: 2,
      runs: 1,
      recomputed: 14,
      unversioned: 0,
      unnumbered: 1,
      problemCount: 0,
    });
  });

  it('names a deleted row by its number, and the budget that no longer adds up', async (t) => {
    const { deliver, problems, db } = await ledger(t);
    await deliver(rows(1, 9));
    await db.query(sql`delete from op.usage_events where id = ${idOf(4)}`);
    assert.deepEqual(await problems(), [
      at('deleted_rows', 4),
      { kind: 'budget' },
      { kind: 'changed_sums' },
    ]);
  });

  it('names a lost batch by replica, run and numbers', async (t) => {
    const { deliver, problems } = await ledger(t);
    await deliver(rows(1, 10));
    await deliver(rows(21, 25));
    assert.deepEqual(await problems(), [at('missing_rows', 11, 20)]);
    await deliver(rows(11, 20));
    assert.deepEqual(await problems(), []);
  });

  it('names a lost last batch once it can no longer be on its way', async (t) => {
    const { deliver, problems, verify, time } = await ledger(t);
    await deliver(rows(1, 3), 7);
    assert.deepEqual(await problems(), []);
    assert.deepEqual((await verify()).pending, [at('pending', 4, 7)]);
    time.now += 11 * 60_000;
    assert.deepEqual(await problems(), [at('missing_rows', 4, 7)]);
  });

  it('names a row whose cost, count or prices were changed', async (t) => {
    const { deliver, problems, db } = await ledger(t);
    await deliver(rows(1, 12));
    await db.query(sql`update op.usage_events set cost_micros = 1 where seq in (2, 3)`);
    await db.query(sql`update op.usage_events set completion_tokens = 3 where seq = 7`);
    await db.query(sql`update op.usage_events set price_version = 9 where seq = 8`);
    await db.query(sql`update op.usage_events set estimated_cost_micros = 4 where seq = 10`);
    const changed = [3, 7, 10].map((seq) => ({ kind: 'changed_cost', replica, id: idOf(seq) }));
    const unknown = { kind: 'unknown_prices', replica, id: idOf(8) };
    const second = { kind: 'changed_cost', replica, id: idOf(2) };
    const found = await problems();
    const sums = [{ kind: 'budget' }, { kind: 'changed_sums' }];
    assert.deepEqual(new Set(found), new Set([...changed, unknown, second, ...sums]));
  });

  it('names added rows and repeated numbers', async (t) => {
    const { deliver, problems, db } = await ledger(t);
    await deliver(rows(1, 3));
    await db.query(sql`update op.usage_events set seq = 9 where id = ${idOf(2)}`);
    await db.query(sql`update op.usage_events set seq = 1 where id = ${idOf(3)}`);
    assert.deepEqual(await problems(), [
      { ...at('duplicate_number', 1), id: idOf(3) },
      at('deleted_rows', 2, 3),
      at('unexpected_rows', 9),
    ]);
  });

  it('names the day of hourly sums that were changed, and deleted hours', async (t) => {
    const { deliver, problems, db, time, upkeep } = await ledger(t);
    const old = new Date(time.now - 100 * dayMs).toISOString();
    await deliver([1, 2].map((seq) => numbered(seq, { at: old, tag: String(seq) })));
    time.now += 2 * dayMs;
    await upkeep.run();
    assert.deepEqual(await problems(), []);
    await db.query(
      sql`update op.usage_hours set prompt_tokens = prompt_tokens + 1 where tag = '1'`,
    );
    const sums = [{ kind: 'budget' }, { kind: 'changed_sums' }];
    assert.deepEqual(await problems(), [{ kind: 'changed_hours' }, ...sums]);
    await db.query(sql`delete from op.usage_hours where tag = '1'`);
    const changed = { kind: 'changed_hours' };
    assert.deepEqual(await problems(), [changed, changed, ...sums]);
  });

  it('names the month of sums for reports that were changed or deleted', async (t) => {
    const { deliver, problems, verify, db, time, clock } = await ledger(t);
    await deliver([1, 2, 3, 4].map((seq) => numbered(seq, { at: '2026-03-31T23:59:59.999Z' })));
    time.now = Math.max(time.now, Date.parse('2026-06-01'));
    const sumUsage = createSumUsage({ db, clock });
    assert.deepEqual(await problems(), []);
    await sumUsage();
    assert.deepEqual(await problems(), []);
    await db.query(sql`
      update op.usage_sums set cost_micros = cost_micros + 1
      where precision = 'month' and dimension = 'tag'`);
    await db.query(sql`delete from op.usage_sums where precision = 'day' and dimension = 'all'`);
    assert.deepEqual(
      (await verify()).problems.map(({ problem }) => problem),
      ['the sums for reports of 2026-03 in USD differ from the ledger: all by day, tag by month'],
    );
  });

  it('names drops that the log does not count', async (t) => {
    const { deliver, problems, db, plane, clock } = await ledger(t);
    await deliver([numbered(1), numbered(2, { model_id: 99 })]);
    await announceDrops({ plane, clock });
    assert.deepEqual(await problems(), []);
    await db.query(sql`update op.usage_drops set announced_rows = 5`);
    assert.deepEqual(await problems(), [{ kind: 'dropped_rows' }]);
  });
});

it('pages of the ledger have each row once, at the end of daylight saving time too', async (t) => {
  const { db, deliver } = await ledger(t);
  // 02:30+02 and 02:30+01 in Berlin.
  const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
  await deliver(times.map((at, index) => reported(index, { at })));
  const ids = await db.tx(async (tx) => {
    await tx.query(sql`set local timezone = 'Europe/Berlin'`);
    const [first] = await ledgerPage(tx, { place: null, limit: 1 });
    const second = await ledgerPage(tx, { place: first ?? null, limit: 1 });
    return [first, ...second].map((row) => row?.id);
  });
  assert.deepEqual(ids, [reported(0).id, reported(1).id]);
});

it('a set of numbers has each number once, in ranges', () => {
  const model = fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (numbers) => {
    const [set, known] = [new NumberSet(), new Set<number>()];
    for (const number of numbers) {
      assert.equal(set.add(number), !known.has(number));
      known.add(number);
    }
    const ranges: number[][] = JSON.parse(`[${set.toString().slice(1, -1)}]`);
    const covered = ranges.flatMap(([first = 0, last = 0]) =>
      Array.from({ length: last - first + 1 }, (_value, index) => first + index),
    );
    assert.deepEqual(
      covered,
      [...known].toSorted((a, b) => a - b),
    );
    const isApart = ranges.every(
      ([first = 0], index) => first > (ranges[index - 1]?.[1] ?? -1) + 1,
    );
    assert.ok(isApart);
  });
  fc.assert(model);
});
