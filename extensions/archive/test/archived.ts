// Starts a control plane that archives usage to a directory, on the test's clock.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { usageBatch } from '../../../src/usage/usage-event.ts';
import { testAdministrator } from '../../../test/harness/admin/admin.ts';
import { receiptOf, reported } from '../../../test/harness/admin/usage.ts';
import type { TestDatabase } from '../../../test/harness/postgres/postgres.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { archiveDue } from '../archive.ts';
import { readSegment } from '../parquet.ts';
import type { Row } from '../parquet.ts';
import { claimPlace } from '../target/claim.ts';
import { directoryTarget } from '../target/directory.ts';
import { verifyArchive } from '../verify.ts';

export const hourMs = 3_600_000;
/** The first hour of the tests. */
export const begin = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
export const run = '01ARZ3NDEKTSV4RRFFQ6000000';

/** A row in the given hour of the test, from 0. */
export const rowIn = (hour: number, seq: number, change: Readonly<Record<string, unknown>> = {}) =>
  reported(seq, { run, seq, at: new Date(begin + hour * hourMs + seq).toISOString(), ...change });

type Options = Readonly<{ database?: TestDatabase; directory?: string }>;

export async function archived(t: TestContext, { database, directory: given }: Options = {}) {
  const directory = given ?? path.join(await temporaryDirectory(t), 'archive');
  const started = await testAdministrator(t, {
    ...(database === undefined ? {} : { database }),
    settings: { usageArchive: directory },
  });
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  if (database === undefined)
    await started.send('POST', '/admin/models', { name: 'small', ...price });
  const { plane } = started;
  const { db, reports, vault, store, refresh } = plane;
  const time = { now: begin + 4 * hourMs };
  const clock = (): number => time.now;
  const { notifyIn } = noNotifier;
  const intake = createUsageIntake({ db, vault, state: store.state, refresh, clock, notifyIn });
  const { logId } = await readHead(db);
  const target = directoryTarget(directory);
  const archiving = { plane, target, logId, clock };
  const due = async (change: Partial<Parameters<typeof archiveDue>[0]> = {}): Promise<void> => {
    const own = { ...archiving, holder: 'one', verifyBefore: () => new Date(0), ...change };
    const archiveId = change.archiveId ?? (await claimPlace(own.target, own.logId));
    return archiveDue({ ...own, archiveId });
  };
  const span = { since: new Date(begin), until: new Date(begin + 6 * hourMs) };
  return {
    ...started,
    directory,
    target,
    time,
    archiving,
    due,
    deliver: async (...events: readonly unknown[]): Promise<void> => {
      const batch = usageBatch.parse({ replica: 'r1', events: [...events] });
      assert.equal(receiptOf(await intake(batch)).dropped, 0);
    },
    sum: createSumUsage({ db: reports, clock }),
    verify: () => verifyArchive(archiving, span),
    problems: async (): Promise<unknown[]> => {
      const { problems } = await verifyArchive(archiving, span);
      return problems.map(({ kind, hour, file }) => ({ kind, hour, file }));
    },
    files: () => filesIn(directory),
    rows: (name: string) => rowsOf(path.join(directory, name)),
    events: async (): Promise<unknown[]> => {
      const rows: { data: unknown }[] = await db.query(sql`
        select payload::jsonb as data from es.events where type = 'UsageArchived'
        order by position`);
      return rows.map(({ data }) => data);
    },
  };
}

export async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .filter((name) => name !== '_gw.json')
    .toSorted();
}

export async function rowsOf(file: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of readSegment(await readFile(file))) rows.push(...page);
  return rows;
}

/** The name of a file of an hour of the test. */
export function nameIn(hour: number, file: string, dataset = 'usage'): string {
  const [day = '', time = ''] = new Date(begin + hour * hourMs).toISOString().split('T');
  return `${dataset}/dt=${day}/hour=${time.slice(0, 2)}/${file}`;
}
