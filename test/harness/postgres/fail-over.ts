// Starts a Postgres primary and a streaming standby, at one address that follows failovers and at an
// address that names both. A failover promotes the standby; it loses what the primary committed
// after `holdBack`. There is no pg_basebackup among the embedded programs, so a standby starts as a
// copy of a stopped server.

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

/** `address` links to the socket directory, which differs after each start. */
type Site = Readonly<{ data: string; address: string }>;
type Server = Site & Readonly<{ socketDirectory: string }>;

const urlOf = (socketDirectory: string, database: string): string =>
  `postgres://gw@${encodeURIComponent(socketDirectory)}:5432/${database}?sslmode=disable`;

const newLink = (): string => path.join(os.tmpdir(), `gw-${randomUUID().slice(0, 8)}`);

/** `isSynchronous`: commits of the first primary wait for its standby. */
type Pairing = Readonly<{ isSynchronous?: boolean }>;

export async function failOverPair(
  test: Pick<TestContext, 'after'>,
  { isSynchronous = false }: Pairing = {},
) {
  const account = postgresAccount();
  const home = await postgresHome(account, path.join(os.tmpdir(), `gw-pair-${randomUUID()}`));
  const programs = await findPostgresPrograms(account, home.directory);
  const link = newLink();
  const running = new Set<Server>();
  const run = (program: string, ...parameters: readonly string[]): Promise<string> =>
    runPostgresProgram(program, parameters, {
      account,
      directory: home.directory,
      limitMs: 60_000,
    });
  const dataAt = (name: string): string => path.join(home.directory, name);

  const setAddress = async (address: string, { socketDirectory }: Server): Promise<void> => {
    await rm(address, { force: true });
    await symlink(socketDirectory, address);
  };
  type Role = Readonly<{ follows: Server | null; waitsFor?: string }>;
  const start = async (site: Site, { follows, waitsFor = '' }: Role): Promise<Server> => {
    const socketDirectory = await makeSocketDirectory(account);
    const settings = {
      port: '5432',
      listen_addresses: '',
      unix_socket_directories: socketDirectory,
      primary_conninfo: follows === null ? '' : `host=${follows.address} port=5432 user=gw`,
      fsync: 'off',
      // WAL kept for a standby that is stopped for a while.
      wal_keep_size: '256MB',
      synchronous_standby_names: waitsFor,
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    const limits = ['-w', '-t', String(startSeconds), '-l', `${site.data}.log`];
    await run(programs.control, '-D', site.data, ...limits, '-o', flags.join(' '), 'start');
    const server = { ...site, socketDirectory };
    running.add(server);
    await setAddress(site.address, server);
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

  let copies = 0;
  const nextData = (): string => dataAt(`data-${(copies += 1)}`);
  const first = { data: nextData(), address: newLink() };
  const second = { data: nextData(), address: newLink() };
  test.after(async () => {
    for (const server of running) await stop(server, 'immediate');
    for (const address of [link, first.address, second.address]) await rm(address, { force: true });
    await home.remove();
  });

  await initialise({ account, home, programs, data: first.data }, () => {});
  const made = await start(first, { follows: null });
  await createDatabase(urlOf(made.socketDirectory, 'postgres'), { name: 'gw' });
  await stop(made, 'fast');
  await copy(first.data, second.data);
  let primary = await start(first, { follows: null, waitsFor: isSynchronous ? '*' : '' });
  let standby = await start(second, { follows: primary });
  await setAddress(link, primary);

  const promote = async (): Promise<void> => {
    await run(programs.control, '-D', standby.data, '-w', '-t', String(startSeconds), 'promote');
    primary = standby;
    await setAddress(link, primary);
  };
  return {
    /** The address that survives a failover. */
    url: urlOf(link, 'gw'),
    /** Names both servers. */
    bothUrl: urlOf(first.address, 'gw').replace(
      ':5432/',
      `:5432,${encodeURIComponent(second.address)}:5432/`,
    ),
    /** The second server, which is the standby until it is promoted. */
    standbyUrl: urlOf(second.address, 'gw'),
    /** Waits until the standby has received everything, then stops replication. */
    holdBack: async (): Promise<void> => {
      const end = await valueOf(primary, 'select pg_current_wal_flush_lsn() as value');
      const reached = `select pg_last_wal_receive_lsn() >= '${end}'::pg_lsn as value`;
      await until(async () => (await valueOf(standby, reached)) === 'true', {
        what: `the standby has received ${end}`,
      });
      await stop(standby, 'fast');
    },
    /** Starts the standby again after `holdBack`. */
    resume: async (): Promise<void> => {
      standby = await start(standby, { follows: primary });
    },
    killPrimary: (): Promise<void> => stop(primary, 'immediate'),
    /** The standby becomes the primary. */
    promote,
    /** Stops the primary immediately and promotes the standby, which gets a standby of its own. */
    failOver: async (): Promise<void> => {
      const lost = primary;
      await stop(lost, 'immediate');
      const next = { data: nextData(), address: lost.address };
      await copy(standby.data, next.data);
      standby = await start(standby, { follows: lost });
      await promote();
      standby = await start(next, { follows: primary });
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
