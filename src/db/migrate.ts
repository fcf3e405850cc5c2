// Migrates es, vault and op with numbered files, each in one transaction. Files are never edited after a release.
// Read models have no migrations.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sql } from '@databases/pg';
import type { Queryable, Transaction } from '@databases/pg';
import { z } from 'zod';

import type { Database } from './pool.ts';
import { giveRights } from './rights.ts';
import { integer, readRows, text } from './rows.ts';

const directory = join(import.meta.dirname, '../../migrations');
const migrationLock = 7_100_001;

/** Checksums of files that were edited before a release contained them. Databases of developers may have applied these. */
const checksumsBeforeRelease = new Map([
  [33, '1be6646952ae4da4e52481859137c51e34a22aa534978a3f7d03d559faa5edac'],
]);

type Migration = Readonly<{ number: number; name: string; text: string; checksum: string }>;

/**
 * Throws if the database is newer than this program, or if an applied file was edited. Each migration has its own
 * transaction, so that the locks of one end before the next begins.
 */
export async function migrate(db: Database): Promise<void> {
  const known = await readMigrations();
  const applied = await inTurn(db, async (tx) => {
    await giveRights(tx);
    return appliedMigrations(tx);
  });
  checkApplied(applied, known);
  const missing = known.filter(({ number }) => !applied.has(number));
  for (const migration of missing) await inTurn(db, (tx) => apply(tx, migration));
  if (missing.length > 0) await inTurn(db, giveRights);
}

/** Waits while another program migrates. */
const inTurn = <Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  db.tx(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${migrationLock})`);
      return work(tx);
    },
    { statementTimeoutMilliseconds: 60_000, lockTimeoutMilliseconds: 30_000 },
  );

/** Does nothing if the migration was applied, also by another program in the meantime. */
async function apply(tx: Queryable, migration: Migration): Promise<void> {
  const { number, name, text: statements, checksum } = migration;
  if ((await appliedMigrations(tx)).has(number)) return;
  // The migrations are our own files. Only here, SQL text is not a literal.
  await tx.query(sql.__dangerous__rawValue(statements));
  await tx.query(sql`
    insert into public.gw_migrations (number, name, checksum)
    values (${number}, ${name}, ${checksum})`);
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, name), 'utf8');
      return { number: Number(name.slice(0, 4)), name, text, checksum: hash('sha256', text) };
    }),
  );
}

const appliedMigration = z.object({ number: integer, checksum: text });

async function appliedMigrations(db: Queryable): Promise<Map<number, string>> {
  await db.query(sql`
    create table if not exists public.gw_migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
  const rows = await readRows(db, appliedMigration)`
    select number, checksum from public.gw_migrations`;
  return new Map(rows.map((row) => [row.number, row.checksum]));
}

function checkApplied(applied: ReadonlyMap<number, string>, known: readonly Migration[]): void {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]));
  for (const [number, checksum] of applied) {
    const migration = byNumber.get(number);
    if (migration === undefined) {
      throw new Error(`the database has migration ${number}, which is newer than this program`);
    }
    if (migration.checksum !== checksum && checksumsBeforeRelease.get(number) !== checksum) {
      throw new Error(`migration ${migration.name} was edited after the database applied it`);
    }
  }
}
