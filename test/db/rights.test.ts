// Which login of the database is enough, and what one that is not is told.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { Client, escapeIdentifier } from 'pg';

import { buildReadModel } from '../../projections/read-model.ts';
import { lockLog } from '../../src/db/event-log.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import { namingRights } from '../../src/db/rights.ts';
import { testDatabase } from '../harness/postgres.ts';

type Limited = Readonly<{
  login: string;
  /** A pool of the login on an empty database that it owns. */
  db: Database;
  asAdministrator: (statement: string) => Promise<void>;
}>;

const password = 'of-the-tests';

async function limitedLogin(t: TestContext, options = ''): Promise<Limited> {
  const { superuserUrl, drop } = await testDatabase();
  const name = `limited_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  const asAdministrator = async (statement: string): Promise<void> => {
    await client.query(statement);
  };
  await asAdministrator(`create role ${name} login password '${password}' ${options}`);
  await asAdministrator(`create database ${name} owner ${name} template template0`);
  const url = new URL(superuserUrl);
  url.pathname = `/${name}`;
  url.username = name;
  url.password = password;
  const db = openDatabase({
    url: url.href,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 1,
  });
  t.after(async () => {
    await db.dispose();
    await client.query(`drop database ${name} with (force)`);
    await client.query(`drop role ${name}`);
    await client.end();
    await drop();
  });
  return { login: name, db, asAdministrator };
}

const prepare = (db: Database): Promise<unknown> =>
  namingRights(db, async () => {
    await migrate(db);
    return buildReadModel(db);
  });

describe('a login that owns its database', () => {
  it('is enough as a member of gw_app, without the right to make roles', async (t) => {
    const { login, db, asAdministrator } = await limitedLogin(t);
    await asAdministrator(`grant gw_app to ${login}`);
    await prepare(db);
    await prepare(db);
    assert.equal((await db.tx((tx) => lockLog(tx))).position, 0);
  });

  it('is enough as one that may hand gw_app out and not take it on, as its maker', async (t) => {
    const { login, db, asAdministrator } = await limitedLogin(t, 'createrole');
    await asAdministrator(`grant gw_app to ${login} with admin option`);
    await asAdministrator(`do $$ begin
      if current_setting('server_version_num')::integer >= 160000 then
        execute 'grant gw_app to ${login} with set false';
      end if;
    end $$`);
    await prepare(db);
    assert.equal((await db.tx((tx) => lockLog(tx))).position, 0);
  });

  it('is told what to grant when it is no member', async (t) => {
    const { login, db } = await limitedLogin(t);
    const name = escapeIdentifier(login);
    await assert.rejects(prepare(db), (error: Error) => {
      assert.ok(error.message.includes(`grant gw_app to ${name};`), error.message);
      assert.ok(error.message.includes(`grant create on database ${name} to ${name}, gw_app`));
      return true;
    });
  });
});
