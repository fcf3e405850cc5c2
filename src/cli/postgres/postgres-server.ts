// Creates, starts, finds and stops the server process of an embedded Postgres.

import { readFile, rename, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { PostgresAccount } from './postgres-account.ts';
import { isSocketDirectory, makeSocketDirectory } from './postgres-home.ts';
import type { PostgresHome } from './postgres-home.ts';
import { runPostgresProgram } from './postgres-programs.ts';
import type { PostgresPrograms } from './postgres-programs.ts';

export type ServerSite = Readonly<{
  account: PostgresAccount;
  home: PostgresHome;
  programs: PostgresPrograms;
  data: string;
}>;

export type RunningServer = Readonly<{ pid: number; socketDirectory: string }>;

type Starting = Readonly<{
  log: (message: string) => void;
  options: Readonly<Record<string, string>>;
}>;

const initLimitMs = 120_000;
const startLimitSeconds = 20;
const stopLimitSeconds = 30;
/** A program is killed this long after its own limit. */
const programMarginMs = 5_000;
/** After a crash, the lock file of the dead server blocks a start for a moment. */
const startRetryLimitMs = 10_000;
const startRetryWaitMs = 200;
const answerLimitMs = 2_000;
const socketName = '.s.PGSQL.5432';

export async function initialise(site: ServerSite, log: (message: string) => void): Promise<void> {
  if (await exists(path.join(site.data, 'PG_VERSION'))) return;
  log(`creating a Postgres data directory in ${site.data}`);
  // Renamed when complete, so that a killed start leaves no partial directory.
  const partial = `${site.data}.partial`;
  await rm(partial, { recursive: true, force: true });
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';
  const parameters = ['-D', partial, '-U', 'gw', '--auth-local=trust', '--auth-host=reject'];
  await runPostgresProgram(
    site.programs.initdb,
    [...parameters, '-E', 'UTF8', `--locale=${locale}`, '--no-sync'],
    { account: site.account, directory: site.home.directory, limitMs: initLimitMs },
  );
  await rename(partial, site.data);
}

export async function startOrAdopt(
  site: ServerSite,
  { log, options }: Starting,
): Promise<RunningServer> {
  const deadline = performance.now() + startRetryLimitMs;
  const left = (await readServerFile(site.data)).socketDirectory;
  for (;;) {
    const found = await findRunning(site.data);
    if (found !== null) {
      log(`Postgres is still running (process ${found.pid})`);
      return found;
    }
    const failure = await start(site, options);
    if (failure === null) break;
    if (performance.now() > deadline) {
      const file = path.join(site.home.directory, 'server.log');
      throw new Error(
        `Postgres does not start; the last lines of ${file}: ${await lastLines(file)}`,
        {
          cause: failure,
        },
      );
    }
    await wait(startRetryWaitMs);
  }
  const started = await findRunning(site.data);
  if (started === null) throw new Error(`Postgres in ${site.data} ended right after its start`);
  // Only one server can use the data, so the previous owner of this socket is dead.
  if (isSocketDirectory(left) && left !== started.socketDirectory) await removeTree(left);
  return started;
}

const removeTree = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true });

async function findRunning(data: string): Promise<RunningServer | null> {
  const { pid, socketDirectory, status } = await readServerFile(data);
  if (status !== 'ready' || !Number.isInteger(pid) || pid <= 0) return null;
  // The file outlives a killed server, and its process id may be reused. Only a live server answers.
  return (await answers(socketDirectory)) ? { pid, socketDirectory } : null;
}

type ServerFile = RunningServer & Readonly<{ status: string }>;

/** The lines of postmaster.pid: process, data directory, start time, port, socket directory, address, memory, status. */
async function readServerFile(data: string): Promise<ServerFile> {
  const file = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = file.split('\n').map((line) => line.trim());
  return { pid: Number(lines[0]), socketDirectory: lines[4] ?? '', status: lines[7] ?? '' };
}

async function start(
  site: ServerSite,
  options: Readonly<Record<string, string>>,
): Promise<Error | null> {
  const socketDirectory = await makeSocketDirectory(site.account);
  const settings = Object.entries({
    port: '5432',
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    ...options,
  });
  const flags = settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
  const log = path.join(site.home.directory, 'server.log');
  const limit = ['-w', '-t', String(startLimitSeconds)];
  try {
    await runPostgresProgram(
      site.programs.control,
      ['-D', site.data, ...limit, '-l', log, '-o', flags, 'start'],
      {
        account: site.account,
        directory: site.home.directory,
        limitMs: startLimitSeconds * 1000 + programMarginMs,
      },
    );
    return null;
  } catch (error) {
    await rm(socketDirectory, { recursive: true, force: true });
    return error instanceof Error ? error : new Error(String(error));
  }
}

export async function stopServer(
  site: ServerSite,
  { pid, socketDirectory }: RunningServer,
  mode: 'fast' | 'immediate',
): Promise<void> {
  const stop = (how: string): Promise<string> =>
    runPostgresProgram(
      site.programs.control,
      ['-D', site.data, '-m', how, '-w', '-t', String(stopLimitSeconds), 'stop'],
      {
        account: site.account,
        directory: site.home.directory,
        limitMs: stopLimitSeconds * 1000 + programMarginMs,
      },
    );
  if (!(await exists(path.join(site.data, 'postmaster.pid')))) {
    // Normally the server has ended. If its data was removed, pg_ctl cannot find it, but its socket still answers.
    if (await answers(socketDirectory)) process.kill(pid, 'SIGQUIT');
    return;
  }
  if (mode === 'fast') {
    // A server that does not end in time is stopped without a checkpoint and recovers at the next start.
    await stop('fast').catch(() => stop('immediate'));
  } else {
    await stop('immediate');
  }
}

/** The SSLRequest message, which a live server answers with one byte before any login. */
const encryptionQuestion = Buffer.from('0000000804d2162f', 'hex');

/** An accepted connection proves nothing, because children of a killed server keep its socket open for a moment. */
function answers(socketDirectory: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path.join(socketDirectory, socketName));
  socket.setTimeout(answerLimitMs, () => resolve(false));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  socket.once('data', () => resolve(true));
  socket.once('connect', () => socket.write(encryptionQuestion));
  return promise.finally(() => socket.destroy());
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '(no log)');
  return text.trim().split('\n').slice(-5).join(' | ');
}
