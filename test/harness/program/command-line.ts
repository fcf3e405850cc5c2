// Runs one command of the program to its end, as at a command line.

import { execFile } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { runCommandLine } from '../../../src/cli/main.ts';

const program = path.join(import.meta.dirname, '../../../src/main.ts');

export type Ended = Readonly<{ code: number; stdout: string; stderr: string }>;
type Given = Readonly<{ env?: Readonly<Record<string, string>>; input?: string }>;

const limitMs = 30_000;

/**
 * A command that answers and ends, in this process. Without the caller's GW_* variables, and
 * without a terminal.
 */
export async function gw(
  parameters: readonly string[],
  { env = {}, input = '' }: Given = {},
): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(parameters, {
    stdin,
    stdout,
    stderr,
    env: ownEnvironment(env),
    colorDepth: 1,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}

/** As a process of its own: for a command that serves, or whose end is what is tested. */
export function gwProcess(
  parameters: readonly string[],
  { env = {}, input = '' }: Given = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = execFile(
    process.execPath,
    [program, ...parameters],
    { env: ownEnvironment(env), timeout: limitMs },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    },
  );
  child.stdin?.end(input);
  return promise;
}

function ownEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GW_'));
  return { ...Object.fromEntries(own), ...env };
}
