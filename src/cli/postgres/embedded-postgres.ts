// Runs a real Postgres for `gw dev` and the tests, on a unix socket only. A later start finds it
// again after a crash.

import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { createDatabase, takeProcessLock } from '../../db/administer.ts';
import type { ProcessLock } from '../../db/administer.ts';
import { postgresAccount } from './postgres-account.ts';
import { postgresHome } from './postgres-home.ts';
import { findPostgresPrograms } from './postgres-programs.ts';
import { initialise, startOrAdopt, stopServer } from './postgres-server.ts';
import type { RunningServer, ServerSite } from './postgres-server.ts';

export type EmbeddedPostgresOptions = Readonly<{
  directory: string;
  log: (message: string) => void;
  /** For example `{ fsync: 'off' }`. */
  options?: Readonly<Record<string, string>>;
  /** Deletes all data when the server stops. */
  ephemeral?: boolean;
}>;

export type EmbeddedPostgres = Readonly<{
  /** The database `gw`, as the superuser `gw`. */
  url: string;
  stop: () => Promise<void>;
}>;

/** The server frees the lock of a killed owner when it notices the broken connection. */
const ownerLimitMs = 3_000;
const ownerRetryWaitMs = 100;
const ownerLockKey = 0x6777;

export async function startEmbeddedPostgres(
  given: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const account = postgresAccount();
  const home = await postgresHome(account, path.resolve(given.directory));
  const programs = await findPostgresPrograms(account, home.directory);
  const site: ServerSite = { account, home, programs, data: path.join(home.directory, 'data') };
  await initialise(site, given.log);
  const running = await startOrAdopt(site, { log: given.log, options: given.options ?? {} });
  const owner = await takeOwnership(running.socketDirectory, given.directory);
  // A process that ends without stop() still tells the server to shut down.
  const onExit = (): void => interrupt(running);
  process.once('exit', onExit);
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    process.off('exit', onExit);
    await owner.release();
    await stopServer(site, running, given.ephemeral === true ? 'immediate' : 'fast');
    await rm(running.socketDirectory, { recursive: true, force: true });
    if (given.ephemeral === true) await home.remove();
  };
  await createDatabase(socketUrl(running.socketDirectory, 'postgres'), { name: 'gw' });
  return {
    url: socketUrl(running.socketDirectory, 'gw'),
    stop: () => (stopped ??= stop()),
  };
}

/** Unix sockets have no encryption; requesting it would cost a round trip per connection. */
const socketUrl = (socketDirectory: string, database: string): string =>
  `postgres://gw@${encodeURIComponent(socketDirectory)}:5432/${database}?sslmode=disable`;

async function takeOwnership(socketDirectory: string, directory: string): Promise<ProcessLock> {
  const deadline = performance.now() + ownerLimitMs;
  for (;;) {
    const owner = await takeProcessLock(socketUrl(socketDirectory, 'postgres'), ownerLockKey);
    if (owner !== null) return owner;
    if (performance.now() > deadline) {
      throw new Error(`another process uses the database in ${directory}; stop that first`);
    }
    await wait(ownerRetryWaitMs);
  }
}

/** SIGINT requests a fast shutdown of Postgres. */
function interrupt({ pid, socketDirectory }: RunningServer): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // The server has ended already.
  }
  rmSync(socketDirectory, { recursive: true, force: true });
}
