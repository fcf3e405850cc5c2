// Runs one gw command to completion, as on a command line.

import { execFile } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { runCommandLine } from '../../../src/cli/main.ts';
import { programCommand } from './program-command.ts';

export type Ended = Readonly<{ code: number; stdout: string; stderr: string }>;
type Given = Readonly<{ env?: Readonly<Record<string, string>>; input?: string }>;

const limitMs = 30_000;

/** Runs a command that exits, in this process, without GW_* variables and without a terminal. */
export async function gw(
  parameters: readonly string[],
  { env = {}, input = '' }: Given = {},
): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const output = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(parameters, {
    stdin,
    stdout,
    stderr,
    env: ownEnvironment(env),
    colorDepth: 1,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, stdout: out, stderr: err };
}

/** Runs a command in its own process, for commands that serve or whose exit is tested. */
export function gwProcess(
  parameters: readonly string[],
  { env = {}, input = '' }: Given = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const [program, ...first] = programCommand();
  const child = execFile(
    program,
    [...first, ...parameters],
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
