// Starts a Postgres primary and a streaming standby at one fixed address. A failover promotes the
// standby; it loses what the primary committed after `holdBack`. There is no pg_basebackup among
// the embedded programs, so a standby starts as a copy of a stopped server.

import { randomUUID } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import { postgresAccount } from '../../../src/cli/postgres/postgres-account.ts';
import { makeSocketDirectory, postgresHome } from '../../../src/cli/postgres/postgres-home.ts';
import {
  findPostgresPrograms,
  runPostgresProgram,
} from '../../../src/cli/postgres/postgres-programs.ts';
import { initialise } from '../../../src/cli/postgres/postgres-server.ts';
import { createDatabase } from '../../../src/db/administer.ts';
import { until } from '../wait.ts';

const startSeconds = 30;

type Server = Readonly<{ data: string; socketDirectory: string }>;

const urlOf = (socketDirectory: string, database: string): string =>
  `postgres://gw@${encodeURIComponent(socketDirectory)}:5432/${database}?sslmode=disable`;

export async function failOverPair(test: Pick<TestContext, 'after'>) {
  const account = postgresAccount();
  const home = await postgresHome(account, path.join(os.tmpdir(), `gw-pair-${randomUUID()}`));
  const programs = await findPostgresPrograms(account, home.directory);
  const link = path.join(os.tmpdir(), `gw-${randomUUID().slice(0, 8)}`);
  const running = new Set<Server>();
  const run = (program: string, ...parameters: readonly string[]): Promise<string> =>
    runPostgresProgram(program, parameters, {
      account,
      directory: home.directory,
      limitMs: 60_000,
    });
  const dataAt = (name: string): string => path.join(home.directory, name);

  const start = async (data: string, primary: Server | null): Promise<Server> => {
    const socketDirectory = await makeSocketDirectory(account);
    const follows = primary === null ? '' : `host=${primary.socketDirectory} port=5432 user=gw`;
    const settings = {
      port: '5432',
      listen_addresses: '',
      unix_socket_directories: socketDirectory,
      primary_conninfo: follows,
      fsync: 'off',
      // WAL kept for a standby that is stopped for a while.
      wal_keep_size: '256MB',
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    const limits = ['-w', '-t', String(startSeconds), '-l', `${data}.log`, '-o', flags.join(' ')];
    await run(programs.control, '-D', data, ...limits, 'start');
    const server = { data, socketDirectory };
    running.add(server);
    return server;
  };
  const stop = async (server: Server, how: 'fast' | 'immediate'): Promise<void> => {
    if (!running.delete(server)) return;
    await run(programs.control, '-D', server.data, '-m', how, '-w', 'stop');
    await rm(server.socketDirectory, { recursive: true, force: true });
  };
  const copy = async (from: string, to: string): Promise<void> => {
    await run('/bin/cp', '-a', from, to);
    await run('/bin/rm', '-f', path.join(to, 'postmaster.pid'));
    await run('/usr/bin/touch', path.join(to, 'standby.signal'));
  };
  const setAddress = async ({ socketDirectory }: Server): Promise<void> => {
    await rm(link, { force: true });
    await symlink(socketDirectory, link);
  };
  test.after(async () => {
    for (const server of running) await stop(server, 'immediate');
    await rm(link, { force: true });
    await home.remove();
  });

  let copies = 0;
  const nextData = (): string => dataAt(`data-${(copies += 1)}`);
  const first = { account, home, programs, data: nextData() };
  await initialise(first, () => {});
  const made = await start(first.data, null);
  await createDatabase(urlOf(made.socketDirectory, 'postgres'), { name: 'gw' });
  await stop(made, 'fast');
  const standbyData = nextData();
  await copy(first.data, standbyData);
  let primary = await start(first.data, null);
  let standby = await start(standbyData, primary);
  await setAddress(primary);

  return {
    /** The address that survives a failover. */
    url: urlOf(link, 'gw'),
    /** Waits until the standby has received everything, then stops replication. */
    holdBack: async (): Promise<void> => {
      const end = await valueOf(primary, 'select pg_current_wal_flush_lsn() as value');
      const reached = `select pg_last_wal_receive_lsn() >= '${end}'::pg_lsn as value`;
      await until(async () => (await valueOf(standby, reached)) === 'true', {
        what: `the standby has received ${end}`,
      });
      await stop(standby, 'fast');
    },
    /** Stops the primary immediately and promotes the standby, which gets a standby of its own. */
    failOver: async (): Promise<void> => {
      const lost = primary;
      await stop(lost, 'immediate');
      const nextStandby = nextData();
      await copy(standby.data, nextStandby);
      const promoted = await start(standby.data, lost);
      await run(programs.control, '-D', promoted.data, '-w', '-t', String(startSeconds), 'promote');
      primary = promoted;
      await setAddress(primary);
      standby = await start(nextStandby, primary);
      await run('/bin/rm', '-rf', lost.data);
    },
  };
}

async function valueOf({ socketDirectory }: Server, query: string): Promise<string> {
  const client = new Client({ connectionString: urlOf(socketDirectory, 'postgres') });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: unknown }>(query);
    return String(rows[0]?.value);
  } finally {
    await client.end();
  }
}
