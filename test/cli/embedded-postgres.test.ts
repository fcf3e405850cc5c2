// Tests that an embedded Postgres keeps its data, is found again after its owner was killed, and
// leaves no processes or files.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import { startEmbeddedPostgres } from '../../src/cli/postgres/embedded-postgres.ts';
import type { EmbeddedPostgres } from '../../src/cli/postgres/embedded-postgres.ts';
import { postgresAccount } from '../../src/cli/postgres/postgres-account.ts';
import { postgresHome } from '../../src/cli/postgres/postgres-home.ts';
import { dataDirectory } from '../harness/postgres/data-directory.ts';
import { until } from '../harness/wait.ts';

const launcher = path.join(import.meta.dirname, '../../src/cli/postgres/embedded-postgres.ts');

type Site = Readonly<{
  directory: string;
  start: (options?: Readonly<{ ephemeral: boolean }>) => Promise<EmbeddedPostgres>;
}>;

/**
 * Stops what was started in the directory before deleting it, because hooks run in the order of
 * their creation.
 */
async function freshSite(t: TestContext): Promise<Site> {
  const started = new AsyncDisposableStack();
  t.after(() => started.disposeAsync());
  const { directory } = await dataDirectory();
  started.defer(() => rm(directory, { recursive: true, force: true }));
  return {
    directory,
    start: async ({ ephemeral } = { ephemeral: false }) => {
      const options = { fsync: 'off' };
      const server = await startEmbeddedPostgres({ directory, log: () => {}, options, ephemeral });
      started.defer(server.stop);
      return server;
    },
  };
}

async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function serverProcess(directory: string): Promise<number> {
  const file = await readFile(path.join(directory, 'data', 'postmaster.pid'), 'utf8');
  return Number(file.split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

const socketDirectoryOf = (url: string): string =>
  decodeURIComponent(/@([^:]+):/.exec(url)?.[1] ?? '');

test('keeps its data across a restart', async (t) => {
  const { start } = await freshSite(t);
  const first = await start();
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  const second = await start();
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }]);
});

test('the server has no network address and its directories are closed to others', async (t) => {
  const { directory, start } = await freshSite(t);
  const server = await start();
  assert.deepEqual(await query(server.url, 'show listen_addresses'), [{ listen_addresses: '' }]);
  for (const closed of [path.join(directory, 'data'), socketDirectoryOf(server.url)]) {
    const { mode } = await stat(closed);
    assert.equal(mode & 0o777, 0o700, closed);
  }
});

test('leaves no process, socket or ephemeral data after a stop', async (t) => {
  const { directory, start } = await freshSite(t);
  const server = await start({ ephemeral: true });
  const pid = await serverProcess(directory);
  await server.stop();
  await until(() => !isAlive(pid), { what: 'the server process is gone' });
  assert.equal(await exists(socketDirectoryOf(server.url)), false);
  assert.equal(await exists(directory), false);
});

test('stops a server whose data directory was deleted', async (t) => {
  const { directory, start } = await freshSite(t);
  const server = await start();
  const pid = await serverProcess(directory);
  await rm(directory, { recursive: true, force: true });
  await server.stop();
  await until(() => !isAlive(pid), { what: 'the server process is gone' });
});

test('can be stopped twice', async (t) => {
  const server = await (await freshSite(t)).start({ ephemeral: true });
  await Promise.all([server.stop(), server.stop()]);
});

test('refuses a directory in use, without disturbing its owner', async (t) => {
  const { start } = await freshSite(t);
  const owner = await start();
  await assert.rejects(start(), /another process uses the database/);
  assert.deepEqual(await query(owner.url, 'select 1 as one'), [{ one: 1 }]);
});

test('restarts a killed server on its data', async (t) => {
  const { directory, start } = await freshSite(t);
  const first = await start();
  await query(first.url, 'create table kept as select 42 as answer');
  process.kill(await serverProcess(directory), 'SIGKILL');
  const second = await start();
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }]);
  assert.equal(await exists(socketDirectoryOf(first.url)), false);
});

test('takes over a running server whose owner was killed', async (t) => {
  const { directory, start } = await freshSite(t);
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(launcher)});
    const directory = ${JSON.stringify(directory)};
    await startEmbeddedPostgres({ directory, log: () => {}, options: { fsync: 'off' } });
    process.stdout.write('started');
    setInterval(() => {}, 1000);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
  t.after(() => owner.kill('SIGKILL'));
  await once(owner.stdout, 'data');
  const pid = await serverProcess(directory);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const server = await start();
  assert.equal(await serverProcess(directory), pid);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
});

test('stops the server of a process that exits without stopping it', async (t) => {
  const { directory } = await freshSite(t);
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(launcher)});
    const directory = ${JSON.stringify(directory)};
    await startEmbeddedPostgres({ directory, log: () => {}, options: { fsync: 'off' } });
    process.exit(7);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(owner, 'exit');
  const file = path.join(directory, 'data', 'postmaster.pid');
  await until(async () => !(await exists(file)), { what: 'the server has shut down' });
});

test('stores the data elsewhere, with a link, if the account cannot access the directory', async (t) => {
  const account = postgresAccount();
  if (account === null) return;
  const closed = (await freshSite(t)).directory;
  await mkdir(closed);
  await chmod(closed, 0o700);
  const outside = (await freshSite(t)).directory;
  const wanted = path.join(closed, 'postgres');
  const home = await postgresHome(account, wanted, outside);
  assert.equal(path.dirname(home.directory), outside);
  const again = await postgresHome(account, wanted, outside);
  assert.equal(again.directory, home.directory);
  await again.remove();
  assert.deepEqual(await readdir(closed), []);
  assert.deepEqual(await readdir(outside), []);
});
