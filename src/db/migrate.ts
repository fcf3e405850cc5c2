// Migrations of es, vault and op: forward only, numbered, never edited, each in one transaction. Read models have none.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { Database } from './pool.ts';

const directory = join(import.meta.dirname, '../../migrations');
const migrationLock = 7_100_001;

type Migration = Readonly<{ number: number; name: string; text: string; checksum: string }>;

/** Brings the database to this program's schema. Throws when the database is newer, or when an applied file was edited. */
export async function migrate(db: Database): Promise<void> {
  const known = await readMigrations();
  await db.tx(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${migrationLock})`);
      await ensureRole(tx);
      const applied = await appliedMigrations(tx);
      checkApplied(applied, known);
      for (const migration of known.filter((one) => !applied.has(one.number))) {
        // Our own files, read from the program's directory: the one place where SQL text is not a literal.
        await tx.query(sql.__dangerous__rawValue(migration.text));
        await tx.query(sql`
          insert into public.gw_migrations (number, name, checksum)
          values (${migration.number}, ${migration.name}, ${migration.checksum})`);
      }
    },
    { statementTimeoutMilliseconds: 60_000, lockTimeoutMilliseconds: 30_000 },
  );
}

/**
 * The role under which the program works, and its right to create schemas here. Both lie outside the database's own contents: a
 * copy restored elsewhere lacks them. Several databases of one cluster may do this at once, hence the exceptions.
 */
async function ensureRole(tx: Queryable): Promise<void> {
  await tx.query(sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'gw_app') then
        create role gw_app nologin;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`);
  // Since 16, who made a role is a member that may hand it out, and may not take it on before it was given to itself.
  await tx.query(sql`
    do $$ begin
      if not pg_has_role(current_user, 'gw_app',
        case when current_setting('server_version_num')::integer < 160000 then 'MEMBER'
          else 'SET' end)
      then
        execute format('grant gw_app to %I', current_user);
      end if;
      if not has_database_privilege('gw_app', current_database(), 'create') then
        execute format('grant create on database %I to gw_app', current_database());
      end if;
    end $$`);
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

async function appliedMigrations(db: Queryable): Promise<Map<number, string>> {
  await db.query(sql`
    create table if not exists public.gw_migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
  const rows: { number: number; checksum: string }[] = await db.query(
    sql`select number, checksum from public.gw_migrations`,
  );
  return new Map(rows.map((row) => [row.number, row.checksum]));
}

function checkApplied(applied: ReadonlyMap<number, string>, known: readonly Migration[]): void {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]));
  for (const [number, checksum] of applied) {
    const migration = byNumber.get(number);
    if (migration === undefined) {
      throw new Error(`the database has migration ${number}, which is newer than this program`);
    }
    if (migration.checksum !== checksum) {
      throw new Error(`migration ${migration.name} was edited after the database applied it`);
    }
  }
}
