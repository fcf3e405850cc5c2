// Migrates es, vault and op with numbered files, each in one transaction. Files are never edited after a release.
// Read models have no migrations.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { sql } from '@databases/pg';
import type { Queryable, Transaction } from '@databases/pg';
import { z } from 'zod';

import type { Database } from './pool.ts';
import { giveRights } from './rights.ts';
import { flag, integer, readRows, readValue, readValues, text } from './rows.ts';

const directory = join(import.meta.dirname, '../../migrations');
const migrationLock = 7_100_001;

/** Checksums of files that were edited before a release contained them. Databases of developers may have applied these. */
const checksumsBeforeRelease = new Map([
  [33, '1be6646952ae4da4e52481859137c51e34a22aa534978a3f7d03d559faa5edac'],
]);

export type Migration = Readonly<{ number: number; name: string; text: string; checksum: string }>;

/** The migrations that `migrate` would apply, and the number of the last applied one (null for an empty database). */
export type MigrationPlan = Readonly<{ last: number | null; missing: readonly Migration[] }>;

/** Changes nothing. Throws like `migrate`. */
export async function planMigrations(db: Queryable): Promise<MigrationPlan> {
  const known = await readMigrations();
  const isThere = await readValue(db, flag)`select to_regclass('public.gw_migrations') is not null`;
  const applied = isThere === true ? await listApplied(db) : new Map<number, string>();
  checkApplied(applied, known);
  return {
    last: applied.size === 0 ? null : Math.max(...applied.keys()),
    missing: known.filter(({ number }) => !applied.has(number)),
  };
}

type Options = Readonly<{
  /** Receives what is being done, as a clause. */
  onProgress?: (doing: string) => void;
}>;

/**
 * Throws if the database is newer than this program, or if an applied file was edited. Each migration has its own
 * transaction, so that the locks of one end before the next begins.
 */
export async function migrate(
  db: Database,
  { onProgress = () => {} }: Options = {},
): Promise<void> {
  const known = await readMigrations();
  const applied = await inTurn(db, async (tx) => {
    await giveRights(tx);
    return appliedMigrations(tx);
  });
  checkApplied(applied, known);
  const missing = known.filter(({ number }) => !applied.has(number));
  for (const migration of missing) await applyPatiently(db, migration, onProgress);
  if (missing.length > 0) await inTurn(db, giveRights);
}

/** The longest wait while another program migrates. */
const turnMs = 30_000;
/**
 * A statement that waits for a table makes all later statements on that table wait, such as the intake of usage.
 * Shorter than the lock timeout of these (pool.ts).
 */
const tableLockMs = 2_000;
/** In which the statements that waited run. */
const pauseMs = 3_000;
const attemptsMax = 60;
const lockTimeout = '55P03';

/** Waits while another program migrates. */
const inTurn = <Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  db.tx(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${migrationLock})`);
      await tx.query(sql`select set_config('lock_timeout', ${String(tableLockMs)}, true)`);
      return work(tx);
    },
    { statementTimeoutMilliseconds: 60_000, lockTimeoutMilliseconds: turnMs },
  );

/** Tries again while other sessions, such as those of a dump, hold locks on its tables. */
async function applyPatiently(
  db: Database,
  migration: Migration,
  onProgress: (doing: string) => void,
): Promise<void> {
  const { name } = migration;
  onProgress(`migration ${name} is applied`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(db, (tx) => apply(tx, migration));
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === lockTimeout)) throw cause;
      const waits = `migration ${name} waits for locks of other sessions: ${await lockHolders(db)}`;
      if (attempt === attemptsMax) throw new Error(waits, { cause });
      onProgress(waits);
    }
    await wait(pauseMs);
  }
}

/** Those that hold locks on gw's tables now, the oldest transactions first: these are the ones that others wait for. */
async function lockHolders(db: Database): Promise<string> {
  const holders = await readValues(db, text)`
    select coalesce(nullif(application_name, ''), 'session') || ' (pid ' || pid || ')'
    from pg_locks
      join pg_stat_activity using (pid)
      join pg_class on pg_class.oid = relation
      join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('es', 'vault', 'op') and granted and pid <> pg_backend_pid()
    group by pid, application_name
    order by min(xact_start), pid limit 5`;
  return holders.length === 0 ? 'none is left' : holders.join(', ');
}

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
  return listApplied(db);
}

async function listApplied(db: Queryable): Promise<Map<number, string>> {
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
