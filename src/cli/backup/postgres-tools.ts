// Runs the client programs of Postgres, which dump and restore databases.

import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

type Tool = 'pg_dump' | 'pg_restore';

type Given = Readonly<{
  url: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}>;

export type RunningTool = Readonly<{
  input: Writable;
  output: Readable;
  /** Rejects with what the program printed if it fails. */
  ended: Promise<void>;
  kill: () => void;
}>;

const errorCharactersMax = 2000;

export function startTool(tool: Tool, { url, args, env }: Given): RunningTool {
  const { address, password } = splitAddress(url);
  const child = spawn(tool, [...args, '--no-password', `--dbname=${address}`], {
    // Other users can read arguments, but not the environment.
    env: { ...env, ...(password === null ? {} : { PGPASSWORD: password }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (printed.length < errorCharactersMax) printed += text;
  });
  // The exit code tells why the program stopped reading.
  child.stdin.on('error', () => {});
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  child.once('error', (cause) => reject(notFound(tool, cause)));
  child.once('close', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`${tool} failed: ${printed.slice(0, errorCharactersMax).trim()}`));
  });
  // Awaited later.
  ended.catch(() => {});
  return {
    input: child.stdin,
    output: child.stdout,
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}

function notFound(tool: Tool, cause: Error): Error {
  const install = 'install the client programs of Postgres, of the release of the server or newer';
  return new Error(`${tool} was not found; ${install}, and put their folder on the PATH`, {
    cause,
  });
}

/**
 * Takes the password out of the address, also out of its parameters. Chooses the primary if the address names several servers.
 * Client programs do not know sslmode no-verify, which is their mode require.
 */
export function splitAddress(url: string): Readonly<{ address: string; password: string | null }> {
  const [, scheme = '', login = '', secret, servers = '', place = '', query = ''] =
    /^(\w+:\/\/)(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?]*)([^?]*)\??(.*)$/s.exec(url) ?? [];
  const given = query.split('&').filter((parameter) => parameter !== '');
  const kept = given
    .filter((parameter) => !parameter.startsWith(passwordParameter))
    .map((parameter) => (parameter === 'sslmode=no-verify' ? 'sslmode=require' : parameter));
  const isChosen = !servers.includes(',') || query.includes('target_session_attrs=');
  const parameters = isChosen ? kept : [...kept, 'target_session_attrs=read-write'];
  const at = login === '' ? '' : `${login}@`;
  const end = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  const inQuery = given
    .findLast((parameter) => parameter.startsWith(passwordParameter))
    ?.slice(passwordParameter.length);
  const password = inQuery ?? secret;
  return {
    address: `${scheme}${at}${servers}${place}${end}`,
    password: password === undefined ? null : decodeURIComponent(password),
  };
}

const passwordParameter = 'password=';
