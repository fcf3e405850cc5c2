// Tests that migrations run once and in order, also concurrently, and that an unknown database is
// rejected and left unchanged.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createDatabase, dropDatabase } from '../../src/db/administer.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import { testLogDatabase } from '../harness/postgres/log-database.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

const open = (url: string): Database =>
  openDatabase({ url, purpose: 'maintenance', applicationName: 'gw test', connectionsMax: 1 });

/** Pools on one empty database. */
async function emptyDatabase(test: TestContext, pools: number): Promise<Database[]> {
  const { url, drop } = await testDatabase();
  const name = /\/(\w+)\?/.exec(url)?.[1] ?? '';
  const emptyName = `${name}_empty`;
  await createDatabase(url, { name: emptyName, template: 'template0' });
  const opened = Array.from({ length: pools }, () => open(url.replace(name, emptyName)));
  test.after(async () => {
    await Promise.all(opened.map((db) => db.dispose()));
    await dropDatabase(url, emptyName);
    await drop();
  });
  return opened;
}

const applied = (db: Database): Promise<unknown[]> =>
  db.query(
    sql`select number, name, checksum, applied_at from public.gw_migrations order by number`,
  );

describe('migrating', () => {
  it('an empty database from four programs at once applies each migration once', async (t) => {
    const pools = await emptyDatabase(t, 4);
    await Promise.all(pools.map((db) => migrate(db)));
    const [db] = pools;
    assert.ok(db);
    const rows: { name: string }[] = await db.query(
      sql`select name from public.gw_migrations order by number`,
    );
    const files = await readdir(new URL('../../migrations/', import.meta.url));
    assert.deepEqual(
      rows.map(({ name }) => name),
      files.toSorted(),
    );
    assert.deepEqual(await db.query(sql`select position from es.log_head`), [{ position: 0 }]);
  });

  it('a second time changes nothing', async (t) => {
    const db = await testLogDatabase(t);
    const before = await applied(db);
    const [head] = await db.query(sql`select log_id from es.log_head`);
    await migrate(db);
    assert.deepEqual(await applied(db), before);
    assert.deepEqual(await db.query(sql`select log_id from es.log_head`), [head]);
  });

  it('refuses a database that has a migration of a newer program', async (t) => {
    const db = await testLogDatabase(t);
    await db.query(
      sql`insert into public.gw_migrations (number, name, checksum) values (9999, 'later', '')`,
    );
    await assert.rejects(migrate(db), /has migration 9999, which is newer than this program/);
  });

  it('refuses a database whose migration was edited since', async (t) => {
    const db = await testLogDatabase(t);
    await db.query(sql`update public.gw_migrations set checksum = 'another' where number = 1`);
    await assert.rejects(migrate(db), /0001-event-log\.sql was edited after/);
  });

  it('gives each database a log of its own, with its own genesis', async (t) => {
    const pools = await Promise.all([emptyDatabase(t, 1), emptyDatabase(t, 1)]);
    const heads = await Promise.all(
      pools.flat().map(async (db): Promise<{ log_id: string; hash: string }[]> => {
        await migrate(db);
        return db.query(sql`select log_id, encode(hash, 'hex') as hash from es.log_head`);
      }),
    );
    const [one, other] = heads.flat();
    assert.ok(one && other);
    assert.notEqual(one.log_id, other.log_id);
    assert.notEqual(one.hash, other.hash);
  });
});
