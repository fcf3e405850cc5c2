// Starts role control as a process on the database of a benchmark, with an administrator.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { Client } from 'pg';

import { setLogin } from '../../src/cli/control-plane/login-principal.ts';
import { withControlPlane } from '../../src/cli/control-plane/offline-plane.ts';
import { createPasswords } from '../../src/control/access/passwords.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import { cpuSeconds, parentOf } from './cpu.ts';

const encryptionKey = '42'.repeat(32);
export const proxyToken = 'a-proxy-token-of-the-bench';
const login = { name: 'bench', password: 'a password of the bench' };

const warn = (message: string): void => console.error(message);

/** Migrates the database, lets `fill` write to it, and creates the administrator. */
export const prepareDatabase = (
  databaseUrl: string,
  fill: (plane: ControlPlane) => Promise<void>,
): Promise<void> =>
  withControlPlane({ databaseUrl, encryptionKey, warn }, async (plane) => {
    await fill(plane);
    await setLogin({ plane, passwords: createPasswords() }, login);
  });

export type Server = Readonly<{
  adminUrl: string;
  startMs: number;
  startCpuSeconds: number;
  pid: number;
  end: () => Promise<void>;
}>;

type StartOptions = Readonly<{
  execArgv?: readonly string[];
  /** In addition to the arguments of every server. */
  env?: Readonly<Record<string, string>>;
}>;

/** The time from the start of the process until it listens with its first snapshot published. */
export async function startServer(
  databaseUrl: string,
  { execArgv = [], env = {} }: StartOptions = {},
): Promise<Server> {
  const startedAt = performance.now();
  const main = path.join(import.meta.dirname, '../../src/main.ts');
  const args = ['--role', 'control', '--admin-port', '0', '--log-format', 'json'];
  const child = spawn(process.execPath, [...execArgv, main, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      GW_DATABASE_URL: databaseUrl,
      GW_ENCRYPTION_KEY: encryptionKey,
      GW_PROXY_TOKEN: proxyToken,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const started = Promise.withResolvers<string>();
  child.once('close', () => started.reject(new Error('the control plane ended')));
  createInterface({ input: child.stderr }).on('line', (line) => {
    const found = /"admin":"([^"]+)".*"message":"control plane started"/.exec(line);
    if (found?.[1] !== undefined) started.resolve(found[1]);
    else if (!line.includes('plain HTTP')) console.error(line.slice(0, 500));
  });
  const adminUrl = await started.promise;
  const startMs = performance.now() - startedAt;
  const startCpuSeconds = cpuSeconds(child.pid ?? 0);
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { adminUrl, startMs, startCpuSeconds, pid: child.pid ?? 0, end };
}

/** The parent of the process that serves a connection. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return postmaster;
}

/** The session cookie of the administrator. */
export async function loggedIn(adminUrl: string): Promise<string> {
  const answer = await fetch(`${adminUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  if (!answer.ok) throw new Error(`the login was answered ${answer.status}`);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
