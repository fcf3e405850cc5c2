// Measures the archive of usage. `npm run bench:archive [rows]` fills a Postgres of its own with usage rows of two days
// (1,000,000), archives them to a directory, and verifies the archive. It checks that its sums are those of the rows
// and of reports, and that a flipped byte is named.

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { archiveDue } from '../archive.ts';
import { readManifest } from '../write-segment.ts';
import { claimPlace } from '../target/claim.ts';
import { directoryTarget } from '../target/directory.ts';
import { verifyArchive } from '../verify.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { readRows, text } from '../../../src/db/rows.ts';
import { pendingHours } from '../../../src/db/usage/archive/archive-checks.ts';
import { deltasOfRows } from '../../../src/db/usage/sums/add-deltas.ts';
import { globalSetup, globalTeardown } from '../../../test/harness/global-setup.ts';
import { testDatabase } from '../../../test/harness/postgres/postgres.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const fillRows = 10_000;
const hours = 48;
const hourMs = 3_600_000;
const begin = new Date(Math.floor(Date.now() / hourMs) * hourMs - (hours + 2) * hourMs);
const end = new Date(begin.getTime() + hours * hourMs);

const stored = z.object({
  currency: text,
  requests: text,
  prompt: text,
  completion: text,
  cost: text,
});

const byName = (one: readonly unknown[], other: readonly unknown[]): number =>
  String(one[0]).localeCompare(String(other[0]));

const verifyBefore = (): Date => new Date(0);

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
const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-archive-'));
try {
  await measure(plane);
} finally {
  await plane.close();
  await drop();
  await rm(directory, { recursive: true });
  await globalTeardown();
}

async function measure({ db, reports, execute }: ControlPlane): Promise<void> {
  for (const moment of [begin, end]) {
    await db.query(sql`select op.ensure_usage_month(${moment.toISOString()}::timestamptz)`);
  }
  await timed('filling', async () => {
    for (let from = 1; from <= rows; from += fillRows) await fill(reports, from);
    await createSumUsage({ db: reports, clock: Date.now })();
  });
  const target = directoryTarget(directory);
  const { logId } = await readHead(db);
  const archiving = { plane: { db, reports, execute }, target, logId, clock: Date.now };
  const span = { since: begin, until: end };
  await timed('archiving', async () => {
    const archiveId = await claimPlace(target, logId);
    do await archiveDue({ ...archiving, holder: 'bench', archiveId, verifyBefore });
    while ((await pendingHours(reports, span)).length > 0);
  });
  await timed('verifying', async () => {
    const check = await verifyArchive(archiving, span);
    assert.deepEqual(check.problems, []);
    assert.deepEqual(check.pending, []);
    assert.equal(check.rows, rows);
    const size = Math.round(check.bytes / rows);
    console.log(`${check.rows} rows in ${check.segments} segments, ${size} bytes for each row`);
  });
  assert.deepEqual(await archivedSums(), await storedSums(reports));
  console.log('the sums of the archive are those of the rows in Postgres');
  const name = (await filesOf('.parquet'))[0] ?? '';
  await flip(path.join(directory, name));
  const { problems } = await verifyArchive(archiving, span);
  assert.deepEqual(
    problems.map(({ kind, file }) => [kind, file]),
    [['changed_file', name]],
  );
  console.log(`a flipped byte is named: ${problems[0]?.problem}`);
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perRow = ((user + system) / rows).toFixed(1);
  const memory = Math.round(process.memoryUsage().rss / 1024 / 1024);
  console.log(
    `${what}: ${seconds.toFixed(0)} s, ${perRow} µs of CPU a row, ${memory} MiB of memory`,
  );
}

async function filesOf(ending: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith(ending) && name !== '_gw.json').toSorted();
}

async function archivedSums(): Promise<unknown> {
  const sums = new Map<string, bigint[]>();
  const names = await filesOf('.json');
  for (const name of names) {
    const manifest = readManifest(name, await readFile(path.join(directory, name)));
    for (const { currency, rows: count, amounts } of manifest.sums) {
      const added = [count, amounts['prompt_tokens'], amounts['completion_tokens']];
      added.push(amounts['cost_micros']);
      const held = sums.get(currency) ?? added.map(() => 0n);
      sums.set(
        currency,
        added.map((value, index) => (held[index] ?? 0n) + BigInt(value ?? 0)),
      );
    }
  }
  return [...sums].map(([currency, values]) => [currency, values.map(String)]).toSorted(byName);
}

/** Reads every row. */
async function storedSums(db: ControlPlane['reports']): Promise<unknown> {
  const sums = await db.tx(async (tx) => {
    await tx.query(sql`set local statement_timeout = 0`);
    return readRows(tx, stored)`
      select coalesce(currency, 'USD') as currency, count(*)::text as requests,
        sum(prompt_tokens)::text as prompt, sum(completion_tokens)::text as completion,
        sum(cost_micros)::text as cost
      from op.usage_events group by 1 order by 1`;
  });
  return sums.map(({ currency, requests, prompt, completion, cost }) => [
    currency,
    [requests, prompt, completion, cost],
  ]);
}

async function flip(file: string): Promise<void> {
  const bytes = await readFile(file);
  const place = Math.floor((await stat(file)).size / 2);
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  await chmod(file, 0o640);
  await writeFile(file, bytes);
}

/** Rows of several principals, models and currencies, and their sums. */
function fill(db: ControlPlane['reports'], from: number): Promise<unknown> {
  const stepMicros = Math.floor((hours * hourMs * 1000) / rows);
  return db.query(sql`
    with inserted as (
    insert into op.usage_events (id, at, received_at, replica, principal_id, principal, model_id,
      model, virtual_model, path, snapshot_version, stream, status, prompt_tokens,
      completion_tokens, cache_read_tokens, usage_reported, cost_micros, currency,
      cached, duration_ms, attempts, prompt_estimate, is_summed, run, seq)
    select '01ARZ3NDEK' || lpad(number::text, 16, '0'),
      ${begin.toISOString()}::timestamptz
        + (number - 1) * ${stepMicros} * interval '1 microsecond', now(),
      'replica-' || number % 4, 1 + number % 4, 'bench', 1 + number % 4, 'model-' || number % 4,
      'chat', '/v1/chat/completions', 1, number % 2 = 0, 200, number * 7919 % 100000,
      number * 104729 % 4000, number * 7919 % 50000, true,
      case when number % 100 = 0 then null else number * 15485863 % 1000003 end,
      case when number % 5 = 0 then 'EUR' end, false, number % 9000, 1, 100, true,
      '01ARZ3NDEKTSV4RRFFQ600000' || number % 4, (number - 1) / 4 + 1
    from generate_series(${from}::bigint, ${Math.min(rows, from + fillRows - 1)}::bigint) number
    returning *
    ) ${deltasOfRows(sql`inserted`)}`);
}
