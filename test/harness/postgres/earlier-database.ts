// Makes databases as earlier releases left them, which have only the first migrations.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { openDatabase } from '../../../src/db/pool.ts';
import type { Database } from '../../../src/db/pool.ts';
import { giveRights } from '../../../src/db/rights.ts';
import { blankDatabase } from './postgres.ts';

const directory = new URL('../../../migrations/', import.meta.url);

/** A database that an earlier release used: it has migrations up to this number. */
export async function databaseOf(t: TestContext, last: number) {
  const { url } = await blankDatabase(t);
  const open = (): Database =>
    openDatabase({ url, purpose: 'maintenance', applicationName: 'gw test', connectionsMax: 2 });
  const db = open();
  t.after(() => db.dispose());
  const names = (await readdir(directory)).toSorted();
  await db.tx(giveRights);
  for (const name of names.filter((one) => Number(one.slice(0, 4)) <= last)) {
    const text = await readFile(new URL(name, directory), 'utf8');
    await db.tx((tx) => tx.query(sql.__dangerous__rawValue(text)));
  }
  return { url, db, open, names };
}

/** Records that the migrations up to this number were applied. */
export async function recordMigrations(db: Database, names: readonly string[], last: number) {
  await db.query(sql`
    create table public.gw_migrations (number integer primary key, name text not null,
      checksum text not null, applied_at timestamptz not null default now())`);
  for (const name of names.filter((one) => Number(one.slice(0, 4)) <= last)) {
    const checksum = hash('sha256', await readFile(new URL(name, directory)));
    await db.query(sql`
      insert into public.gw_migrations values (${Number(name.slice(0, 4))}, ${name}, ${checksum})`);
  }
}
