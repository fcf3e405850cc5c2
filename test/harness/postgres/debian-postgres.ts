// Starts a Postgres server of Debian for tests that run client programs. The embedded server comes
// without them.

import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import { postgresAccount } from '../../../src/cli/postgres/postgres-account.ts';
import { postgresHome } from '../../../src/cli/postgres/postgres-home.ts';
import { runPostgresProgram } from '../../../src/cli/postgres/postgres-programs.ts';
import { startOrAdopt, stopServer } from '../../../src/cli/postgres/postgres-server.ts';
import { dataDirectory } from './data-directory.ts';
import { debianPostgres } from './debian.ts';

export type DebianServer = Readonly<{
  /** The URL of a database, as `login`. */
  url: (database: string, login?: string) => string;
  stop: () => Promise<void>;
}>;

export type Site = Readonly<{
  /** The path of the data directory, which may not exist yet. */
  data: string;
  /** Creates a new, empty data directory. */
  initialise: () => Promise<void>;
  start: (options?: Readonly<Record<string, string>>) => Promise<DebianServer>;
}>;

export const administrator = 'postgres';
const initLimitMs = 60_000;

/** Stops the server and deletes its files when the test ends. */
export async function debianServerSite(test: Pick<TestContext, 'after'>): Promise<Site> {
  const { bin, env } = debianPostgres();
  Object.assign(process.env, env);
  const account = postgresAccount();
  const home = await postgresHome(account, (await dataDirectory()).directory);
  const data = path.join(home.directory, 'data');
  const programs = { initdb: path.join(bin, 'initdb'), control: path.join(bin, 'pg_ctl') };
  const site = { account, home, programs, data };
  const stops: (() => Promise<void>)[] = [];
  test.after(async () => {
    for (const stop of stops) await stop();
    await home.remove();
  });
  return {
    data,
    initialise: async () => {
      const parameters = ['-D', data, '-U', administrator, '--auth=trust', '--no-sync'];
      await runPostgresProgram(programs.initdb, [...parameters, '-E', 'UTF8', '--locale=C.UTF-8'], {
        account,
        directory: home.directory,
        limitMs: initLimitMs,
      });
    },
    start: async (options = {}) => {
      const running = await startOrAdopt(site, {
        log: () => {},
        options: { fsync: 'off', ...options },
      });
      let stopped: Promise<void> | null = null;
      const stop = (): Promise<void> =>
        (stopped ??= stopServer(site, running, 'fast').then(() =>
          rm(running.socketDirectory, { recursive: true, force: true }),
        ));
      stops.push(stop);
      const socket = encodeURIComponent(running.socketDirectory);
      return {
        url: (database, login = administrator) =>
          `postgres://${login}@${socket}:5432/${database}?sslmode=disable`,
        stop,
      };
    },
  };
}

export async function queryOnce(url: string, ...statements: readonly string[]) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows.push(...(await client.query(statement)).rows);
    return rows;
  } finally {
    await client.end();
  }
}
