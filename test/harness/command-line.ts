// Runs one command of the program to its end, as at a command line.

import { execFile } from 'node:child_process';
import path from 'node:path';

const program = path.join(import.meta.dirname, '../../src/main.ts');

export type Ended = Readonly<{ code: number; stdout: string; stderr: string }>;
type Given = Readonly<{ env?: Readonly<Record<string, string>>; input?: string }>;

const limitMs = 30_000;

/** Without the caller's GW_* variables, and without a terminal. */
export function gw(
  parameters: readonly string[],
  { env = {}, input = '' }: Given = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GW_'));
  const child = execFile(
    process.execPath,
    [program, ...parameters],
    { env: { ...Object.fromEntries(own), ...env }, timeout: limitMs },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    },
  );
  child.stdin?.end(input);
  return promise;
}
