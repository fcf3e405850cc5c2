// Tests that usage past its retention is rolled up by the hour and counts exactly once before,
// during and after.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { createRecordUnattributed } from '../../../src/control/usage/usage-unattributed.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import { foldUsage } from '../../../src/db/usage/usage-rollups.ts';
import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { receiptOf, reported } from '../../harness/admin/usage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Usage on the test's clock, with a model that has a price and a budget of principal 1. */
async function withClock(t: TestContext) {
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const started = await testAdministrator(t);
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...price });
  await started.send('PUT', '/admin/principals/1/budget', { tokens_total: 10_000_000 });
  const { db, reports, vault, store, refresh } = started.plane;
  const failures: string[] = [];
  const onFailure = (what: string, error: unknown): void =>
    void failures.push(`${what}: ${String(error)}`);
  const intake = createUsageIntake({
    db,
    vault,
    state: store.state,
    refresh,
    notifyIn: noNotifier.notifyIn,
    clock,
  });
  const count = async (query: ReturnType<typeof sql>): Promise<number> => {
    const [row]: { rows: number }[] = await db.query(query);
    return row?.rows ?? 0;
  };
  return {
    started: { ...started, openedAt: time.now },
    time,
    db,
    failures,
    upkeep: createUsageUpkeep({ db: reports, clock, retentionDays: 90, onFailure }),
    recordUnattributed: createRecordUnattributed({ db, clock }),
    report: async (events: readonly unknown[]): Promise<void> => {
      const receipt = receiptOf(await intake({ replica: 'r1', events: [...events] }));
      assert.equal(receipt.dropped, 0);
    },
    rows: () => count(sql`select count(*) as rows from op.usage_events`),
    hours: () => count(sql`select count(*) as rows from op.usage_hours`),
  };
}

type Clocked = Awaited<ReturnType<typeof withClock>>;

const counted = ['requests', 'refused_requests', 'prompt_tokens', 'completion_tokens'];
counted.push('cost_micros', 'unpriced_requests', 'avg_ms');
const estimates = ['estimated_requests', 'estimated_prompt_tokens'];
estimates.push('estimated_completion_tokens', 'estimated_cost_micros');
counted.push(...estimates);

/** Results that do not depend on roll-ups, by every grouping. */
async function totals({ started }: Clocked): Promise<unknown> {
  const groupings = ['model', 'principal', 'virtual_model', 'provider', 'tag', 'day'];
  const all = groupings.map(async (grouping) => {
    const { body } = await started.send('GET', `/admin/usage?group_by=${grouping}&limit=1000`);
    assert.ok(Array.isArray(body));
    return body.map((row) => ['key', ...counted].map((name) => member(row, name)));
  });
  const since = new Date(started.openedAt - 120 * dayMs).toISOString();
  const until = new Date(started.openedAt + dayMs).toISOString();
  const days = `since=${since}&until=${until}&bucket=86400`;
  const { body: series } = await started.send('GET', `/admin/timeseries?${days}`);
  assert.ok(Array.isArray(series));
  const points = series.map((point) => summed.map((name) => member(point, name)));
  return [...(await Promise.all(all)), points];
}

/** The fields of a point that roll-ups have too. */
const summed = ['at', 'requests', 'upstream_errors', 'client_errors', 'refused_budget'];
summed.push('prompt_tokens', 'completion_tokens', 'cost_micros', 'unpriced_requests', 'avg_ms');
summed.push(...estimates);

/** Responses of all kinds, spread over the last 100 days. */
const mixed = (now: number, amount: number) =>
  Array.from({ length: amount }, (_value, index) =>
    reported(index, {
      at: new Date(now - ((index * 37) % 100) * dayMs - index * 60_000).toISOString(),
      tag: index % 4 === 0 ? 'spill' : null,
      model_id: index % 7 === 0 ? null : 1,
      model: index % 7 === 0 ? null : 'small',
      refusal: index % 7 === 0 ? 'budget' : null,
      status: index % 5 === 0 ? 500 : 200,
      usage_reported: index % 3 !== 0,
      usage_estimated: index % 6 === 0,
      duration_ms: index,
    }),
  );

describe('usage past its retention', () => {
  it('counts as before in every total and in the budget', async (t) => {
    const clocked = await withClock(t);
    await clocked.report(mixed(clocked.time.now, 400));
    const before = await totals(clocked);
    clocked.time.now += 2 * dayMs;
    await clocked.upkeep.run();
    assert.ok((await clocked.hours()) > 0);
    const left = await clocked.rows();
    assert.ok(left > 0 && left < 400);
    assert.deepEqual(await totals(clocked), before);
    assert.deepEqual(await strayBudgets(clocked.db), []);
    clocked.time.now += 200 * dayMs;
    await clocked.upkeep.run();
    assert.equal(await clocked.rows(), 0);
    assert.deepEqual(await totals(clocked), before);
    assert.deepEqual(await strayBudgets(clocked.db), []);
    await clocked.upkeep.run();
    assert.deepEqual(await totals(clocked), before);
  });

  it('counts once at any moment, and when several replicas roll it up at a time', async (t) => {
    const clocked = await withClock(t);
    await clocked.report(mixed(clocked.time.now, 300));
    const before = await totals(clocked);
    const horizon = new Date(clocked.time.now + dayMs);
    const settled = new Date(clocked.time.now + dayMs);
    const fold = () => foldUsage(clocked.started.plane.reports, { horizon, settled, limit: 11 });
    const folding = (async () => {
      while ((await clocked.rows()) > 0) await Promise.all([fold(), fold(), fold()]);
    })();
    do assert.deepEqual(await totals(clocked), before);
    while ((await clocked.rows()) > 0);
    await folding;
    assert.deepEqual(await totals(clocked), before);
  });

  it('counts once when it arrives late, and goes into its hour a day later', async (t) => {
    const clocked = await withClock(t);
    const old = new Date(clocked.time.now - 89 * dayMs).toISOString();
    await clocked.report([reported(1, { at: old })]);
    clocked.time.now += 3 * dayMs;
    await clocked.upkeep.run();
    assert.deepEqual([await clocked.rows(), await clocked.hours()], [0, 1]);
    const late = reported(2, { at: old });
    for (const _time of ['first', 'again']) await clocked.report([late]);
    await clocked.upkeep.run();
    await clocked.report([late]);
    assert.equal(await clocked.rows(), 1);
    clocked.time.now += dayMs + 1;
    await clocked.upkeep.run();
    assert.deepEqual([await clocked.rows(), await clocked.hours()], [0, 1]);
    const { body } = await clocked.started.send('GET', '/admin/usage');
    assert.ok(Array.isArray(body));
    assert.deepEqual(
      body.map((row) => [member(row, 'requests'), member(row, 'prompt_tokens')]),
      [[2, 2_000]],
    );
    assert.deepEqual(await strayBudgets(clocked.db), []);
  });

  it('keeps percentiles, and has buckets of at least an hour', async (t) => {
    const clocked = await withClock(t);
    const at = clocked.time.now - 91 * dayMs;
    await clocked.report([reported(1, { at: new Date(at).toISOString() })]);
    clocked.time.now += dayMs + 1;
    await clocked.upkeep.run();
    const since = new Date(at - hourMs).toISOString();
    const until = new Date(at + hourMs).toISOString();
    const query = `since=${since}&until=${until}&bucket=60`;
    const { body, headers } = await clocked.started.send('GET', `/admin/timeseries?${query}`);
    assert.equal(headers.get('x-gw-bucket-seconds'), '3600');
    assert.ok(Array.isArray(body));
    const full = body.filter((point) => member(point, 'requests') === 1);
    assert.deepEqual(
      full.map((point) => ['avg_ms', 'p50_ms', 'p99_ms'].map((name) => member(point, name))),
      [[100, 100, 100]],
    );
  });

  it('leaves no empty month, and months exist before they start', async (t) => {
    const clocked = await withClock(t);
    const months = async (): Promise<readonly unknown[]> => {
      const rows: { name: string }[] = await clocked.db.query(sql`
        select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'op.usage_events'::regclass order by 1`);
      return rows.map(({ name }) => name.slice('op.usage_events_'.length));
    };
    clocked.time.now = Date.parse('2026-11-30T12:00:00Z');
    await clocked.upkeep.run();
    assert.deepEqual(await months(), ['2026_11', '2026_12', '2027_01']);
    await clocked.report([reported(1, { at: '2026-10-01T00:00:00Z' })]);
    assert.deepEqual(await months(), ['2026_10', '2026_11', '2026_12', '2027_01']);
    clocked.time.now = Date.parse('2027-01-30T00:00:00Z');
    await clocked.upkeep.run();
    // October ended before the retention began. November did not, though it is empty.
    assert.deepEqual((await months()).slice(0, 2), ['2026_11', '2026_12']);
  });

  it('starts as long ago as the operator configured', async (t) => {
    const clocked = await withClock(t);
    const { db, reports } = clocked.started.plane;
    const at = new Date(clocked.time.now - 2 * dayMs).toISOString();
    await clocked.report([reported(1, { at })]);
    const clock = (): number => clocked.time.now + dayMs + 1;
    const options = { db: reports, clock, onFailure: () => undefined };
    await createUsageUpkeep({ ...options, retentionDays: 4 }).run();
    assert.equal(await clocked.rows(), 1);
    await createUsageUpkeep({ ...options, retentionDays: 1 }).run();
    assert.equal(await clocked.rows(), 0);
    assert.deepEqual(await strayBudgets(db), []);
  });
});

describe('the check of budgets', () => {
  it('finds a manually changed counter and its principal', async (t) => {
    const clocked = await withClock(t);
    const { upkeep, db } = clocked;
    await clocked.report([reported(1)]);
    assert.equal(upkeep.budgetDrift(), null);
    await upkeep.run();
    assert.equal(upkeep.budgetDrift(), 0);
    await db.query(sql`update op.budget_usage set tokens_used = tokens_used + 1`);
    await upkeep.run();
    await upkeep.run();
    assert.equal(upkeep.budgetDrift(), 1);
    assert.deepEqual(clocked.failures, [
      'checking budgets: Error: the counters of these principals differ from the sum of their usage: 1',
    ]);
    await db.query(sql`update op.budget_usage set tokens_used = tokens_used - 1`);
    await db.query(sql`delete from op.usage_events`);
    await upkeep.run();
    assert.equal(upkeep.budgetDrift(), 1);
  });
});

describe('unattributed refusals', () => {
  it('count the increase since the last report, whichever replica received it', async (t) => {
    const clocked = await withClock(t);
    const { time, db, recordUnattributed } = clocked;
    time.now = Date.parse('2026-11-21T10:00:30Z');
    const report = (unauthenticated: number, modelNotFound: number, replica = 'r1') =>
      recordUnattributed(replica, { unauthenticated, modelNotFound });
    await report(2, 1);
    await report(2, 1);
    await report(5, 1);
    await report(1, 0, 'r2');
    time.now += 60_000;
    await report(6, 3);
    // Restarted: it counts from zero.
    await report(1, 0);
    const rows: unknown = await db.query(sql`
      select to_char(minute at time zone 'UTC', 'HH24:MI') as at, replica, unauthenticated,
        model_not_found from op.refused_unattributed order by 1, 2`);
    assert.deepEqual(rows, [
      { at: '10:00', replica: 'r1', unauthenticated: 5, model_not_found: 1 },
      { at: '10:00', replica: 'r2', unauthenticated: 1, model_not_found: 0 },
      { at: '10:01', replica: 'r1', unauthenticated: 2, model_not_found: 2 },
    ]);
    time.now += 100 * dayMs;
    await clocked.upkeep.run();
    const hours: unknown = await db.query(
      sql`select replica, unauthenticated, model_not_found from op.refused_unattributed`,
    );
    assert.deepEqual(hours, [{ replica: '', unauthenticated: 8, model_not_found: 3 }]);
  });

  it('count once when reports reach several replicas at a time', async (t) => {
    const { db, recordUnattributed } = await withClock(t);
    await Promise.all(
      Array.from({ length: 12 }, () =>
        recordUnattributed('r1', { unauthenticated: 9, modelNotFound: 0 }),
      ),
    );
    assert.deepEqual(await db.query(sql`select unauthenticated from op.refused_unattributed`), [
      { unauthenticated: 9 },
    ]);
  });
});
