// Tests gw behind a real PgBouncer: session mode works, transaction mode is rejected at the start.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { makePrivateDirectory, postgresAccount } from '../../src/cli/postgres/postgres-account.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { checkSessions } from '../../src/db/connections/pooler.ts';
import { listenForEvents } from '../../src/db/listen.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import { debianBouncer } from '../harness/postgres/debian.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const ignored = 'lock_timeout,statement_timeout,idle_in_transaction_session_timeout';
const port = 6432;

/** The same database behind a PgBouncer with these lines in its configuration. */
async function bouncedUrl(
  test: Pick<TestContext, 'after'>,
  url: string,
  lines: readonly string[],
): Promise<string> {
  const { bin, env } = debianBouncer();
  const account = postgresAccount();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-b-'));
  await makePrivateDirectory(account, directory);
  const { hostname, pathname, username } = new URL(url);
  const database = pathname.slice(1);
  const config = path.join(directory, 'bouncer.ini');
  const users = path.join(directory, 'users.txt');
  await writeFile(users, `"${username}" ""\n`, { mode: 0o644 });
  await writeFile(
    config,
    [
      '[databases]',
      `${database} = host=${decodeURIComponent(hostname)} port=5432 dbname=${database} user=${username}`,
      '[pgbouncer]',
      'listen_addr =',
      `listen_port = ${port}`,
      `unix_socket_dir = ${directory}`,
      'auth_type = trust',
      `auth_file = ${users}`,
      ...lines,
    ].join('\n'),
    { mode: 0o644 },
  );
  const child = spawn(path.join(bin, 'pgbouncer'), ['-q', config], {
    ...account,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  test.after(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  const socket = path.join(directory, `.s.PGSQL.${port}`);
  await until(() => accepts(socket), { what: 'that PgBouncer accepts connections' });
  return `postgres://${username}@${encodeURIComponent(directory)}:${port}/${database}?sslmode=disable`;
}

function accepts(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = connect(socket, () => resolve(true));
  probe.once('error', () => resolve(false));
  return promise.finally(() => probe.destroy());
}

const session = ['pool_mode = session', `ignore_startup_parameters = ${ignored}`];

describe('a PgBouncer before the database', () => {
  it('in session mode gives all that a control plane needs', async (t) => {
    const database = await testDatabase();
    const url = await bouncedUrl(t, database.url, session);
    const { send } = await testAdministrator(t, { database: { ...database, url } });
    for (const name of ['first', 'second', 'third']) {
      assert.equal((await send('POST', '/admin/roles', { name })).status, 200);
    }
    assert.equal((await send('GET', '/readyz')).status, 200);
  });

  it('in session mode carries notifications', async (t) => {
    const database = await testDatabase();
    t.after(database.drop);
    const url = await bouncedUrl(t, database.url, session);
    let heard = 0;
    const listener = listenForEvents({ url, onAppended: () => void heard++, random: () => 0.5 });
    t.after(listener.close);
    await until(() => heard === 1, { what: 'that it listens' });
    const db = openDatabase({
      url: database.url,
      purpose: 'commands',
      applicationName: 'gw test',
      connectionsMax: 1,
    });
    await db.query(sql`select pg_notify('gw_events', '')`);
    await db.dispose();
    await until(() => heard === 2, { what: 'a notification' });
  });

  for (const roundRobin of [0, 1]) {
    it(`in transaction mode is refused at the start (server_round_robin = ${roundRobin})`, async (t) => {
      const database = await testDatabase();
      t.after(database.drop);
      const url = await bouncedUrl(t, database.url, [
        'pool_mode = transaction',
        `server_round_robin = ${roundRobin}`,
        `ignore_startup_parameters = ${ignored}`,
      ]);
      await assert.rejects(checkSessions(url), /set pool_mode = session for gw in PgBouncer/);
    });
  }

  it('in statement mode is refused at the start', async (t) => {
    const database = await testDatabase();
    t.after(database.drop);
    const url = await bouncedUrl(t, database.url, [
      'pool_mode = statement',
      `ignore_startup_parameters = ${ignored}`,
    ]);
    await assert.rejects(checkSessions(url), /set pool_mode = session for gw in PgBouncer/);
  });

  it('that refuses the settings of a session is answered with the line that it needs', async (t) => {
    const database = await testDatabase();
    t.after(database.drop);
    const url = await bouncedUrl(t, database.url, ['pool_mode = session']);
    await assert.rejects(checkSessions(url), new RegExp(`ignore_startup_parameters = ${ignored}`));
  });
});

it('Postgres itself gives sessions', async (t) => {
  const { url } = await testDatabase(t);
  await checkSessions(url);
});
