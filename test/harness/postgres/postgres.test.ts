// Tests that a test database is isolated, migrated and dropped afterwards.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from 'pg';

import { filledDatabase, testDatabase } from './postgres.ts';
import { until } from '../wait.ts';

async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test('a test database holds the migrated schema', async (t) => {
  const { url } = await testDatabase(t);
  const rows = await query(url, 'select number from public.gw_migrations order by number');
  assert.notEqual(rows.length, 0);
});

test('what one test writes no other test sees', async (t) => {
  const [one, other] = await Promise.all([testDatabase(t), testDatabase(t)]);
  await query(one.url, 'create table only_here (id integer)');
  await assert.rejects(query(other.url, 'select * from only_here'), { code: '42P01' });
});

test('a dropped database is gone, even while a session uses it', async (t) => {
  const database = await testDatabase(t);
  const other = await testDatabase(t);
  const client = new Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await database.drop();
  const name = /\/(\w+)\?/.exec(database.url)?.[1] ?? '';
  const rows = await query(other.url, `select 1 from pg_database where datname = '${name}'`);
  assert.deepEqual(rows, []);
});

test('a database is filled once, and each caller gets a copy', async (t) => {
  let fills = 0;
  const fill = async ({ url }: Readonly<{ url: string }>): Promise<void> => {
    fills += 1;
    await query(url, 'create table filled (id integer)');
  };
  const copy = async (): Promise<string> => {
    const { url, drop } = await filledDatabase('counted', fill);
    t.after(drop);
    return url;
  };
  const urls = [...(await Promise.all([copy(), copy(), copy()])), await copy()];
  assert.equal(fills, 1);
  assert.equal(new Set(urls).size, 4);
  for (const url of urls) assert.deepEqual(await query(url, 'select id from filled'), []);
});

test('waiting for what never comes fails at the limit and says what was awaited', async () => {
  await assert.rejects(
    until(() => false, { limitMs: 20, what: 'the impossible' }),
    /not within 20 ms: the impossible/,
  );
});
