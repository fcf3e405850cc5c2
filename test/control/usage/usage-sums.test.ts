// Tests that sums of usage equal the sum of its rows over any range and grouping, whenever and wherever rows arrive and
// sums are merged.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import * as fc from 'fast-check';

import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { totals } from '../../../src/control/usage/usage-reports.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { holdSums, mergeDeltas } from '../../../src/db/usage/sums/merge-sums.ts';
import { keys } from '../../../src/db/usage/sums/sum-columns.ts';
import { eraseUsageNames } from '../../../src/db/usage/usage-names.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';
import { reported, sumAgain } from '../../harness/admin/usage.ts';
import { runs } from '../../harness/property-runs.ts';
import { until } from '../../harness/wait.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const iso = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

async function withSums(t: TestContext) {
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const { send, plane } = await testAdministrator(t);
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  await send('POST', '/admin/models', { name: 'small', ...price });
  await send('POST', '/admin/models', { name: 'large', ...price });
  const { db, reports, vault, store, refresh } = plane;
  const { notifyIn } = noNotifier;
  const intake = createUsageIntake({ db, vault, state: store.state, refresh, notifyIn, clock });
  return {
    time,
    db,
    reports,
    intake,
    sumUsage: createSumUsage({ db: reports, clock }),
    upkeep: createUsageUpkeep({
      db: reports,
      clock,
      retentionDays: 90,
      onFailure: (what, error) => assert.fail(`${what}: ${String(error)}`),
    }),
    total: async (query: Readonly<{ groupBy: Grouping; since?: number; until?: number }>) => {
      const { groupBy, since, until } = query;
      const range = { since: iso(since), until: iso(until) };
      const found = await totals(reports, { groupBy, ...range, skip: 0, limit: 1_000 });
      assert.ok(!isRefusal(found));
      return found;
    },
  };
}

const request = fc.record({
  model_id: fc.constantFrom(1, 2, null),
  tag: fc.constantFrom('spill', null),
  virtual_model: fc.constantFrom('chat', 'code'),
  service_tier: fc.constantFrom('flex', null),
  refusal: fc.constantFrom(null, null, null, 'budget' as const, 'no_backend' as const),
  status: fc.constantFrom(200, 200, 404, 429, 503, null),
  cached: fc.boolean(),
  usage_reported: fc.boolean(),
  prompt_tokens: fc.nat(5_000),
  completion_tokens: fc.nat(5_000),
  reasoning_tokens: fc.constantFrom(null, 0, 7),
  duration_ms: fc.nat(400_000),
  ttft_ms: fc.option(fc.nat(40_000)),
  attempts: fc.integer({ min: 1, max: 4 }),
  /** The age of the request. Most are close to each other. */
  agoMs: fc.oneof(fc.nat(10 * minuteMs), fc.nat(3 * dayMs), fc.nat(80 * dayMs)),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
type Grouping = Parameters<typeof totals>[1]['groupBy'];

const keyOf: Readonly<Partial<Record<Grouping, (one: Sent) => string | null>>> = {
  all: () => null,
  model: (one) => nameOf(one),
  virtual_model: (one) => one.virtual_model,
  tag: (one) => one.tag,
  service_tier: (one) => one.service_tier,
  day: (one) => one.at.slice(0, 10),
};

type Sent = ReturnType<typeof sent>;
const nameOf = ({ model_id: id }: Pick<Request, 'model_id'>): string | null =>
  id === null ? null : id === 1 ? 'small' : 'large';

const sent = (one: Request, index: number, now: number) => {
  const { agoMs, ...fields } = one;
  return {
    ...reported(index),
    ...fields,
    model: nameOf(one),
    at: new Date(now - agoMs).toISOString(),
    usage_reported: one.usage_reported && one.refusal === null,
  };
};

/** Computed from the requests alone. */
function expected(requests: readonly Sent[], key: (one: Sent) => string | null) {
  const groups = [...Map.groupBy(requests, key)].map(([name, own]) => {
    const answered = own.filter((one) => one.refusal === null);
    const add = (valueOf: (one: Sent) => number) =>
      own.reduce((total, one) => total + valueOf(one), 0);
    const statuses = answered.filter((one) => !one.cached).map((one) => one.status ?? 0);
    const durations = answered.map((one) => one.duration_ms).toSorted((a, b) => a - b);
    return {
      key: name,
      requests: own.length,
      refused_requests: own.length - answered.length,
      failed_attempts: add((one) => one.attempts - (one.refusal === null ? 1 : 0)),
      upstream_success: statuses.filter((status) => status === 200).length,
      upstream_client_error: statuses.filter((status) => status === 404).length,
      upstream_rate_limited: statuses.filter((status) => status === 429).length,
      prompt_tokens: add((one) => one.prompt_tokens),
      completion_tokens: add((one) => one.completion_tokens),
      reasoning_tokens: own.every((one) => one.reasoning_tokens === null)
        ? null
        : add((one) => one.reasoning_tokens ?? 0),
      avg_ms:
        durations.length === 0
          ? null
          : Math.round(durations.reduce((total, ms) => total + ms, 0) / durations.length),
      p95_ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
    };
  });
  return groups.toSorted((a, b) => String(a.key).localeCompare(String(b.key)));
}

type Sums = Awaited<ReturnType<typeof withSums>>;

async function assertSums(
  { total, time }: Sums,
  requests: readonly Sent[],
  range: Readonly<{ since?: number; until?: number }>,
): Promise<void> {
  const inRange = requests.filter((one) => {
    const at = Date.parse(one.at);
    return at >= (range.since ?? 0) && at < (range.until ?? time.now + dayMs);
  });
  for (const groupBy of Object.keys(keyOf).filter(isGrouping)) {
    const wanted = expected(inRange, keyOf[groupBy] ?? (() => null));
    const found = await total({ groupBy, ...range });
    const sorted = found.toSorted((a, b) => String(a.key).localeCompare(String(b.key)));
    const names = new Set(wanted.flatMap((one) => Object.keys(one)));
    names.delete('p95_ms');
    const pick = (one: object) =>
      Object.fromEntries(Object.entries(one).filter(([name]) => names.has(name)));
    assert.deepEqual(
      sorted.filter((one) => one.requests > 0).map(pick),
      wanted.map(pick),
      `${groupBy} ${JSON.stringify(range)}`,
    );
    for (const [index, { p95_ms: ms }] of wanted.entries()) {
      const read = sorted[index]?.p95_ms ?? null;
      assert.equal(read === null, ms === null);
      assert.ok(Math.abs((read ?? 0) - (ms ?? 0)) <= (ms ?? 0) / 100, `${read} for ${ms} ms`);
    }
  }
}

const isGrouping = (name: string): name is Grouping => Object.hasOwn(keyOf, name);

const cases = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 60 }),
  /** Positions in the list: later batches repeat some of these. */
  repeated: fc.array(fc.nat(59), { maxLength: 20 }),
  batchRows: fc.integer({ min: 1, max: 20 }),
  /** Time between the batches. */
  stepMs: fc.constantFrom(0, minuteMs, 40 * minuteMs, 8 * 60 * minuteMs),
  ranges: fc.array(fc.tuple(fc.nat(80 * dayMs), fc.nat(4 * dayMs)), { maxLength: 3 }),
});

/** Sums with the same period and keys as another one, which are part of coarser sums. */
const copies = (db: Queryable): Promise<unknown[]> =>
  db.query(sql`
    select precision, period, dimension, ${keys} from op.usage_sums
    where not is_pending group by precision, period, dimension, ${keys} having count(*) > 1`);

const inBatches = <Value>(values: readonly Value[], size: number): (readonly Value[])[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_value, index) =>
    values.slice(index * size, (index + 1) * size),
  );

describe('the sums of usage', () => {
  it('equal the rows for batches in any order, duplicates, late rows and several replicas', async (t) => {
    const sums = await withSums(t);
    const { time, db, intake, sumUsage, upkeep } = sums;
    let used = 0;
    const property = fc.asyncProperty(cases, async (given) => {
      await db.query(sql`truncate op.usage_sums, op.usage_events, op.usage_hours`);
      await db.query(sql`
        update op.usage_horizons set rows_from = 'epoch', minutes_from = now() - interval '8 days'`);
      const begun = Math.floor(Date.now() / minuteMs) * minuteMs;
      time.now = begun;
      const rows = given.requests.map((one, index) => sent(one, used + index, begun));
      used += rows.length;
      const again = given.repeated.flatMap((index) => rows[index] ?? []);
      for (const events of inBatches([...rows, ...again], given.batchRows)) {
        // The same batch reaches two replicas at the same time.
        await Promise.all(['r1', 'r2'].map((replica) => intake({ replica, events: [...events] })));
        time.now += given.stepMs;
        await sumUsage();
      }
      for (const [ago, length] of given.ranges) {
        const since = begun - ago;
        await assertSums(sums, rows, { since, until: since + length + 1 });
      }
      await assertSums(sums, rows, {});
      assert.deepEqual(await copies(db), []);
      time.now = begun + 200 * dayMs;
      await upkeep.run();
      await sumUsage();
      assert.deepEqual(await copies(db), []);
      assert.deepEqual(await db.query(sql`select id from op.usage_events`), []);
      await assertSums(sums, rows, {});
    });
    await fc.assert(property, runs(8));
  });

  it('have rows of before the sums, before and after these are added', async (t) => {
    const sums = await withSums(t);
    const rows = fc
      .sample(request, { numRuns: 40, seed: 7 })
      .map((one, index) => sent(one, index, sums.time.now));
    await sums.intake({ replica: 'r1', events: rows });
    await sumAgain(sums.db);
    await assertSums(sums, rows, {});
    await sums.sumUsage();
    const left = await sums.db.query(sql`select id from op.usage_events where not is_summed`);
    assert.deepEqual(left, []);
    await assertSums(sums, rows, {});
  });
});

it('a backlog of large batches is merged in several statements, until none is left', async (t) => {
  const { db, reports, intake, sumUsage, time, total } = await withSums(t);
  await intake({ replica: 'r', events: [reported(1), reported(2), reported(3)] });
  await sumAgain(db);
  await sumUsage();
  await reports.query(sql`
    insert into op.usage_sums select (jsonb_populate_record(held, jsonb_build_object(
      'duration_buckets', array_fill(5, array[30000])))).*
    from op.usage_sums held, generate_series(1, 4) where held.precision = 'delta'`);
  const merged = await holdSums(reports, (tx) =>
    mergeDeltas(tx, { before: new Date(time.now + dayMs), limit: 2_000 }),
  );
  assert.equal(merged, 3);
  time.now += dayMs;
  await sumUsage();
  const left = await db.query(sql`select from op.usage_sums where precision = 'delta'`);
  assert.deepEqual(left, []);
  const [all] = await total({ groupBy: 'all' });
  assert.equal(all?.requests, 5 * 3);
});

it('an erased name does not come back with a merge that is under way', async (t) => {
  const { db, reports, intake } = await withSums(t);
  await intake({ replica: 'r', events: [reported(1), reported(2)] });
  const isWaiting = async (): Promise<boolean> => {
    const waiting: unknown[] = await db.query(sql`select from pg_locks where not granted`);
    return waiting.length > 0;
  };
  const erased = await holdSums(reports, async (tx) => {
    await mergeDeltas(tx, { before: new Date(Date.now() + dayMs), limit: 9 });
    const erasing = eraseUsageNames(reports, 1);
    await until(isWaiting, { what: 'the erasure waits' });
    return Promise.resolve({ erasing });
  });
  await erased?.erasing;
  const names: unknown[] = await db.query(sql`
    select distinct principal from op.usage_sums where principal_id = 1`);
  assert.deepEqual(names, [{ principal: '' }]);
});

it('an older control plane cannot roll up rows that are not in the sums', async (t) => {
  const { db, intake } = await withSums(t);
  await intake({ replica: 'r', events: [reported(1)] });
  await db.query(sql`update op.usage_events set is_summed = false`);
  await assert.rejects(db.query(sql`delete from op.usage_events`), /not in the sums for reports/);
  await db.query(sql`update op.usage_events set is_summed = true`);
  await db.query(sql`delete from op.usage_events`);
});
