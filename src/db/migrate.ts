// Migrates es, vault and op with numbered files, each in one transaction. Files are never edited.
// Read models have no migrations.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from './pool.ts';
import { giveRights } from './rights.ts';
import { integer, readRows, text } from './rows.ts';

const directory = join(import.meta.dirname, '../../migrations');
const migrationLock = 7_100_001;

type Migration = Readonly<{ number: number; name: string; text: string; checksum: string }>;

/** Throws if the database is newer than this program, or if an applied file was edited. */
export async function migrate(db: Database): Promise<void> {
  const known = await readMigrations();
  await db.tx(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${migrationLock})`);
      await giveRights(tx);
      const applied = await appliedMigrations(tx);
      checkApplied(applied, known);
      for (const migration of known.filter((one) => !applied.has(one.number))) {
        // The migrations are our own files. Only here, SQL text is not a literal.
        await tx.query(sql.__dangerous__rawValue(migration.text));
        await tx.query(sql`
          insert into public.gw_migrations (number, name, checksum)
          values (${migration.number}, ${migration.name}, ${migration.checksum})`);
      }
      await giveRights(tx);
    },
    { statementTimeoutMilliseconds: 60_000, lockTimeoutMilliseconds: 30_000 },
  );
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
    if (migration.checksum !== checksum) {
      throw new Error(`migration ${migration.name} was edited after the database applied it`);
    }
  }
}
