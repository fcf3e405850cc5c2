// Measures the reports of usage at size. `node bench/usage-scale.ts [--requests 100000000] [--rows 500000]` fills a Postgres
// with the sums of a year and the rows of the last six hours, and runs the queries of the screens. Then it adds rows to the
// sums in the background of another database, and compares the sums with a scan of the rows.

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { sql } from '@databases/pg';

import { totals, usageCourse } from '../src/control/usage/usage-reports.ts';
import { createSumUsage } from '../src/control/usage/usage-sums.ts';
import { openControlPlane } from '../src/control/plane.ts';
import type { ControlPlane } from '../src/control/plane.ts';
import { openDatabase } from '../src/db/pool.ts';
import type { Database } from '../src/db/pool.ts';
import { dimensions } from '../src/db/usage/sums/sum-columns.ts';
import { isBelowHour, startOf, sumPrecisions } from '../src/usage/pieces.ts';
import type { SumPrecision } from '../src/usage/pieces.ts';
import { isRefusal } from '../src/lib/refusal.ts';
import { cpuSecondsOfFamily } from './control/cpu.ts';
import { postmasterOf } from './control/server.ts';
import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';
import { insertUsageRows } from '../test/harness/usage-rows.ts';

type Measured = Readonly<{
  plane: ControlPlane;
  /** Has no time limit for a statement. */
  filler: Database;
  /** Seconds of CPU of Postgres and of this process. */
  cpu: () => number;
}>;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000000' },
    rows: { type: 'string', default: '500000' },
    runs: { type: 'string', default: '20' },
  },
});
const requests = Number(values.requests);
const rows = Number(values.rows);
const runs = Number(values.runs);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Math.floor(Date.now() / hourMs) * hourMs + 35 * 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

/** The number of keys of each dimension. */
const groups = {
  all: 1,
  model: 20,
  principal: 100,
  provider: 5,
  virtual_model: 10,
  tag: 3,
  service_tier: 2,
} as const;

const lengths: Readonly<Record<SumPrecision, number>> = {
  minute: 60_000,
  five_minutes: 300_000,
  hour: hourMs,
  six_hours: 6 * hourMs,
  day: dayMs,
  ten_days: 10 * dayMs,
  month: 30.4 * dayMs,
};

/** Every period has all keys, so that `requests` are spread evenly over the year. */
async function fillSums(db: Database, precision: SumPrecision, fromMs: number): Promise<void> {
  const length = lengths[precision];
  const periods = new Set<number>();
  for (let ms = startOf(precision, fromMs); ms < now; ms += Math.min(length, dayMs)) {
    periods.add(startOf(precision, ms));
  }
  const starts = [...periods].map(iso);
  const inPeriod = Math.max(1, Math.round((requests * length) / (365 * dayMs)));
  for (const [dimension, keys] of Object.entries(groups)) {
    const each = Math.max(1, Math.round(inPeriod / keys));
    const buckets = Math.min(each, 120);
    const list = (valueOf: (index: number) => number): string =>
      `{${Array.from({ length: buckets }, (_value, index) => valueOf(index)).join(',')}}`;
    const named = (name: string, value: ReturnType<typeof sql>) =>
      dimensionNames(dimension).includes(name) ? value : sql`null`;
    await db.query(sql`
      insert into op.usage_sums (precision, period, dimension, is_pending, principal_id, principal,
        model, provider, virtual_model, tag, service_tier, currency, requests, upstream_errors,
        client_errors, unpriced_requests, prompt_tokens, completion_tokens, cache_read_tokens,
        reasoning_tokens, cost_micros, estimated_requests, estimated_prompt_tokens,
        estimated_completion_tokens, refused_requests, refused_authorisation, refused_rate_limit,
        refused_budget, refused_no_backend, refused_backend_overloaded, failed_attempts,
        upstream_success, upstream_client_error, upstream_rate_limited, upstream_server_error,
        answered_ms, duration_buckets, duration_counts, ttft_buckets, ttft_counts)
      select ${precision}, period, ${dimension}, false, ${named('principal_id', sql`key`)},
        ${named('principal', sql`'team-' || key`)}, ${named('model', sql`'model-' || key`)},
        ${named('provider', sql`'provider-' || key % 5`)},
        ${named('virtual_model', sql`'chat-' || key`)}, ${named('tag', sql`'tag-' || key`)},
        ${named('service_tier', sql`'tier-' || key`)}, 'USD', ${each}, 1, 1, 0, ${each * 1000},
        ${each * 200}, ${each * 500}, 0, ${each * 40}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, ${each}, 0, 0, 0,
        ${each * 900}, ${list((index) => 150 + index)}::smallint[],
        ${list(() => Math.ceil(each / buckets))}::bigint[],
        ${list((index) => 60 + index)}::smallint[],
        ${list(() => Math.ceil(each / buckets))}::bigint[]
      from unnest(${starts}::timestamptz[]) as period, generate_series(1, ${keys}::bigint) as key`);
  }
}

const dimensionNames = (dimension: string): readonly string[] =>
  Object.entries(dimensions).find(([name]) => name === dimension)?.[1] ?? [];

const range = (days: number) => ({ since: iso(now - days * dayMs), until: iso(now) });

type Report = Readonly<{ name: string; read: (db: Database) => Promise<unknown> }>;

const totalsOf = (days: number, groupBy: Parameters<typeof totals>[1]['groupBy']): Report => ({
  name: `usage by ${groupBy}, ${days} days`,
  read: (db) => totals(db, { ...range(days), groupBy, skip: 0, limit: 1_000 }),
});

type Filter = Readonly<{ model?: string; provider?: string; principalId?: number }>;

const seriesOf = (days: number, bucket: number, filter: Filter = {}): Report => ({
  name: `series of ${Math.round(days * 24)} hours, buckets from ${bucket} s${Object.keys(filter)
    .map((name) => `, one ${name}`)
    .join('')}`,
  read: (db) =>
    usageCourse(db, {
      sinceMs: now - days * dayMs,
      untilMs: now,
      bucket,
      model: null,
      provider: null,
      principalId: null,
      ...filter,
    }),
});

const screens: readonly Report[] = [
  seriesOf(1 / 24, 1),
  seriesOf(0.25, 1),
  seriesOf(1, 1),
  seriesOf(1, 3600, { principalId: 7 }),
  seriesOf(7, 1, { model: 'model-3', provider: 'provider-3' }),
  seriesOf(30, 3600),
  seriesOf(365, 3600),
  ...([1, 30, 365] as const).flatMap((days) =>
    (
      ['all', 'model', 'principal', 'virtual_model', 'provider', 'tag', 'currency', 'day'] as const
    ).map((groupBy) => totalsOf(days, groupBy)),
  ),
];

async function measureReports({ plane: { reports }, filler: db, cpu }: Measured): Promise<void> {
  const begun = performance.now();
  for (const precision of sumPrecisions) {
    await fillSums(db, precision, now - (isBelowHour(precision) ? 8 : 365) * dayMs);
  }
  await db.query(sql`select op.ensure_usage_month(${iso(now)}::timestamptz)`);
  await db.query(sql`select op.ensure_usage_month(${iso(now - dayMs)}::timestamptz)`);
  const lastHours = Math.round((requests / 365 / 24) * 6);
  const fromMs = now - 6 * hourMs;
  const stepMs = (6 * hourMs) / lastHours;
  await insertUsageRows(db, { count: lastHours, fromMs, stepMs, isSummed: true });
  await db.query(sql`analyze op.usage_sums`);
  await db.query(sql`analyze op.usage_events`);
  const [size]: { sums: number; mb: number }[] = await db.query(sql`
    select (select count(*) from op.usage_sums) as sums,
      (select sum(pg_total_relation_size(relid)) / 1048576 from pg_partition_tree('op.usage_sums'))::bigint as mb`);
  console.log(
    `sums of ${requests} requests over a year: ${size?.sums} sums (${size?.mb} MB), ${lastHours} rows, ` +
      `made in ${((performance.now() - begun) / 1000).toFixed(0)} s; load average ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const { name, read } of screens) {
    const durations: number[] = [];
    const before = cpu();
    for (let run = 0; run < runs; run++) {
      const startedAt = performance.now();
      assert.ok(!isRefusal(await read(reports)));
      durations.push(performance.now() - startedAt);
    }
    const at = (share: number): string =>
      quantile(
        durations.toSorted((a, b) => a - b),
        share,
      ).toFixed(0);
    const used = (((cpu() - before) / runs) * 1000).toFixed(0);
    console.log(`| ${name} | ${used} | ${at(0.5)} | ${at(0.95)} |`);
  }
}

/** Rows of 40 days, with many in each minute. */
async function measureExactness({ plane: { reports: db }, filler, cpu }: Measured): Promise<void> {
  for (const days of [0, 31, 62]) {
    await db.query(sql`select op.ensure_usage_month(${iso(now - days * dayMs)}::timestamptz)`);
  }
  const stepMs = (40 * dayMs) / rows;
  await insertUsageRows(filler, { count: rows, fromMs: now - 41 * dayMs, stepMs, isSummed: false });
  const before = cpu();
  const begun = performance.now();
  const sumUsage = createSumUsage({ db, clock: () => now });
  await sumUsage();
  const seconds = (performance.now() - begun) / 1000;
  const used = ((cpu() - before) / rows) * 1e6;
  console.log(`CPU a row added to the sums: ${used.toFixed(1)} µs`);
  console.log(
    `${rows} rows added to the sums in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s`,
  );
  await filler.query(sql`analyze op.usage_sums`);
  await filler.query(sql`analyze op.usage_events`);
  const [scanned]: Record<string, number>[] = await filler.query(sql`
    select count(*) as requests, sum(prompt_tokens)::bigint as prompt_tokens,
      sum(completion_tokens)::bigint as completion_tokens, sum(cost_micros)::bigint as cost_micros,
      count(*) filter (where refusal is not null) as refused_requests
    from op.usage_events where at >= ${iso(now - 40.3 * dayMs)}::timestamptz
      and at < ${iso(now - 3.77 * dayMs)}::timestamptz`);
  const summed = await totals(db, {
    since: iso(now - 40.3 * dayMs),
    until: iso(now - 3.77 * dayMs),
    groupBy: 'all',
    skip: 0,
    limit: 1,
  });
  assert.ok(!isRefusal(summed));
  const {
    requests: count,
    prompt_tokens,
    completion_tokens,
    cost_micros,
    refused_requests,
  } = summed[0] ?? {};
  assert.deepEqual(
    { requests: count, prompt_tokens, completion_tokens, cost_micros, refused_requests },
    scanned,
  );
  console.log(`equal to a scan of the rows: ${JSON.stringify(scanned)}`);
}

const ownCpu = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

async function withPlane(work: (measured: Measured) => Promise<void>): Promise<void> {
  const { url, drop } = await testDatabase();
  const plane = await openControlPlane({
    databaseUrl: url,
    encryptionKey: new Uint8Array(32).fill(7),
    connectionsMax: 5,
    appVersion: 'bench',
    clock: Date.now,
    onFailure: (what, error) => console.error(what, error),
  });
  const filler = openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'bench',
    connectionsMax: 1,
  });
  try {
    const postmaster = await postmasterOf(url);
    await work({ plane, filler, cpu: () => cpuSecondsOfFamily(postmaster) + ownCpu() });
  } finally {
    await filler.dispose();
    await plane.close();
    await drop();
  }
}

await globalSetup();
try {
  await withPlane(measureExactness);
  await withPlane(measureReports);
} finally {
  await globalTeardown();
}
