// Tests which database logins have sufficient privileges, and the error for those that do not.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { Client } from 'pg';

import { buildReadModel } from '../../projections/read-model.ts';
import { prepareDatabase } from '../../src/control/plane.ts';
import { lockLog } from '../../src/db/log/event-log.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import { namingRights } from '../../src/db/rights.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

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

  it('is told what to grant when it is not a member, and can start when that was run', async (t) => {
    const { login, db, asAdministrator } = await limitedLogin(t);
    const statements = await toldToRun(db);
    assert.deepEqual(statements, [`grant gw_app to ${login}`]);
    for (const statement of statements) await asAdministrator(statement);
    await prepare(db);
    assert.equal((await db.tx((tx) => lockLog(tx))).position, 0);
  });
});

/** The statements listed in the error from preparing the database. */
async function toldToRun(db: Database): Promise<readonly string[]> {
  const error = await prepare(db).then(
    () => assert.fail('nothing was missing'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof Error);
  assert.match(error.message, /lacks privileges; an administrator of the server must run/);
  return [...error.message.matchAll(/^ {2}(.+);$/gm)].map(([, statement = '']) => statement);
}

/** Every privilege and owner in a database, as text. */
async function rightsIn(client: Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(`
    select nspname as name, nspowner::regrole::text as owner, nspacl::text as acl
    from pg_namespace where nspname in ('es', 'vault', 'op') or nspname ~ '^rm_'
    union all
    select nspname || '.' || relname, relowner::regrole::text, relacl::text
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and (nspname in ('es', 'vault', 'op') or nspname ~ '^rm_')
    union all
    select pg_proc.oid::regprocedure::text, proowner::regrole::text, proacl::text
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
    where nspname in ('es', 'vault', 'op')
    union all
    select 'defaults', defaclrole::regrole::text, defaclacl::text from pg_default_acl
    order by 1`);
  return rows;
}

/** The result of a restore without the role gw_app: it has no privileges and owns nothing. */
const asRestoredWithoutRole = `
  do $$ declare one record; begin
    for one in select nspname, current_user as administrator
      from pg_namespace where nspname ~ '^rm_' loop
      execute format('alter schema %I owner to %I', one.nspname, one.administrator);
    end loop;
    for one in select nspname, relname, current_user as administrator
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname ~ '^rm_' and relkind = 'r' loop
      execute format('alter table %I.%I owner to %I', one.nspname, one.relname, one.administrator);
    end loop;
    execute format('revoke create on database %I from gw_app', current_database());
  end $$;
  revoke all on schema es, vault, op from gw_app;
  revoke all on all tables in schema es, vault, op from gw_app;
  revoke all on function es.lock_log() from gw_app;
  alter default privileges in schema op revoke all on tables from gw_app`;

describe('a database that was restored where gw_app did not exist', () => {
  it('gets all its rights back when the program starts as its owner', async (t) => {
    const { url, superuserUrl, drop } = await testDatabase();
    const administrator = new Client({ connectionString: superuserUrl });
    await administrator.connect();
    t.after(async () => {
      await administrator.end();
      await drop();
    });
    const before = await rightsIn(administrator);
    await administrator.query(asRestoredWithoutRole);
    assert.notDeepEqual(await rightsIn(administrator), before);
    await prepareDatabase(url);
    assert.deepEqual(await rightsIn(administrator), before);
  });

  it('can be used by a login that owned nothing of it, once the statements that it is told were run', async (t) => {
    const { superuserUrl, drop } = await testDatabase();
    const administrator = new Client({ connectionString: superuserUrl });
    await administrator.connect();
    await administrator.query(asRestoredWithoutRole);
    const login = `limited_${randomUUID().replaceAll('-', '')}`;
    await administrator.query(`create role ${login} login password '${password}'`);
    const url = new URL(superuserUrl);
    url.username = login;
    url.password = password;
    const db = openDatabase({
      url: url.href,
      purpose: 'maintenance',
      applicationName: 'gw test',
      connectionsMax: 1,
    });
    t.after(async () => {
      await db.dispose();
      await administrator.query(`drop owned by ${login}; drop role ${login}`);
      await administrator.end();
      await drop();
    });
    const statements = await toldToRun(db);
    assert.ok(statements.includes(`alter table es.events owner to ${login}`));
    for (const statement of statements) await administrator.query(statement);
    await prepare(db);
    assert.equal((await db.tx((tx) => lockLog(tx))).position, 0);
    await assert.rejects(
      db.tx(async (tx) => {
        await tx.query(sql`select set_config('role', 'gw_app', true)`);
        await tx.query(sql`delete from es.events`);
      }),
      /permission denied/,
      'the log is still append-only for the program',
    );
  });
});
