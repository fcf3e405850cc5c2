// Measures how long the verification of the ledger takes. `node bench/ledger.ts [--quick]` fills a Postgres of its
// own with 1,000,000 usage rows of 4 proxy processes and their sums, verifies them, and checks that a deleted row, a changed
// cost and a lost batch are named.

import assert from 'node:assert/strict';

import { sql } from '@databases/pg';

import { verifyLedger } from '../src/control/usage/ledger/verify-ledger.ts';
import { openControlPlane } from '../src/control/plane.ts';
import type { ControlPlane } from '../src/control/plane.ts';
import { createSumUsage } from '../src/control/usage/usage-sums.ts';
import { deltasOfRows } from '../src/db/usage/sums/add-deltas.ts';
import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';

const rows = process.argv.includes('--quick') ? 50_000 : 1_000_000;
const fillRows = 1_000;
const runs = 4;
const lost = { first: 1_001, last: 1_500 };

const context = {
  actor: { kind: 'cli', principal_id: null },
  action: 'CLI',
  target: 'bench',
  requestId: 'bench',
  reason: null,
} as const;

await globalSetup();
const { url, drop } = await testDatabase();
const plane = await openControlPlane({
  databaseUrl: url,
  encryptionKey: new Uint8Array(32).fill(7),
  connectionsMax: 5,
  appVersion: 'bench',
  clock: Date.now,
  onFailure: (what, error) => console.error(what, error),
});
try {
  await measure(plane);
} finally {
  await plane.close();
  await drop();
  await globalTeardown();
}

async function measure({ reports: db, execute }: ControlPlane): Promise<void> {
  const fields = {
    inputPricePerMtok: 3_000_000,
    outputPricePerMtok: 15_000_000,
    priceCard: { cache_read: 300_000, reasoning: 15_000_000 },
  };
  await execute({ command: { type: 'CreateModel', name: 'small', fields } }, context);
  await db.query(sql`select op.ensure_usage_month(now())`);
  for (let from = 1; from <= rows; from += fillRows) await fill(db, from);
  await db.query(sql`
    insert into op.usage_runs (replica, run, received, assigned, assigned_at)
    select replica, run, range_agg(int8range(seq, seq, '[]')), max(seq), now() - interval '1 hour'
    from op.usage_events group by replica, run`);
  await createSumUsage({ db, clock: Date.now })();
  await db.query(sql`analyze op.usage_events`);
  await report(db, 'an intact ledger', []);

  await db.query(sql`delete from op.usage_events where run = ${runOf(1)} and seq = 77`);
  await db.query(sql`
    update op.usage_events set cost_micros = cost_micros + 1 where run = ${runOf(2)} and seq = 88`);
  await db.query(sql`
    delete from op.usage_events
    where run = ${runOf(3)} and seq between ${lost.first} and ${lost.last}`);
  await db.query(sql`
    update op.usage_runs
    set received = received - int8multirange(int8range(${lost.first}, ${lost.last}, '[]'))
    where run = ${runOf(3)}`);
  await report(db, 'a deleted row, a changed cost and a lost batch', [
    'changed_cost',
    'changed_sums',
    'deleted_rows',
    'missing_rows',
  ]);
}

async function report(
  db: ControlPlane['reports'],
  what: string,
  expected: readonly string[],
): Promise<void> {
  const startedAt = performance.now();
  const check = await verifyLedger({ db, clock: Date.now });
  const seconds = (performance.now() - startedAt) / 1000;
  const memory = Math.round(process.memoryUsage().rss / 1024 / 1024);
  console.log(`${what}: ${check.rows} rows in ${seconds.toFixed(1)} s, ${memory} MiB of memory`);
  console.log(`  ${check.recomputed} costs computed again, ${check.problemCount} problems`);
  for (const { kind, problem } of check.problems) console.log(`  ${kind}: ${problem}`);
  assert.deepEqual(check.problems.map(({ kind }) => kind).toSorted(), expected);
}

function runOf(number: number): string {
  return `01ARZ3NDEKTSV4RRFFQ600000${number}`;
}

/** Rows whose costs are those of the price card, and their sums: 99 % of each prompt is a cache read. */
function fill(db: ControlPlane['reports'], from: number): Promise<unknown> {
  return db.query(sql`
    with inserted as (
    insert into op.usage_events (id, at, received_at, replica, principal_id, principal, model_id,
      model, virtual_model, path, snapshot_version, stream, status, prompt_tokens,
      completion_tokens, cache_read_tokens, reasoning_tokens, usage_reported, cost_micros, currency,
      price_version, cached, duration_ms, attempts, prompt_estimate, is_summed, run, seq)
    select '01ARZ3NDEK' || lpad(number::text, 16, '0'),
      date_trunc('month', now()) + number * interval '1 millisecond', now(),
      'replica-' || number % ${runs}, 1, 'bench', 1, 'small', 'chat', '/v1/chat/completions', 1,
      false, 200, 100000, 100, 99000, 40, true, 34200, 'USD', 1, false, 900, 1, 100000, true,
      '01ARZ3NDEKTSV4RRFFQ600000' || number % ${runs}, (number - 1) / ${runs} + 1
    from generate_series(${from}::bigint, ${Math.min(rows, from + fillRows - 1)}::bigint) number
    returning *
    ) ${deltasOfRows(sql`inserted`)}`);
}
