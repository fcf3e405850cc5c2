// Starts the processes of the benchmark on their cores, waits until they are ready, and ends them.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const readyMsMax = 30_000;
const stopMsMax = 3000;
const transcriptLinesMax = 40;

/** The candidate has the first core to itself; the load generator and the upstream share the second. */
export const cores = { candidate: 0, load: 1 } as const;

export const isPinned: boolean =
  availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

export type Child = Readonly<{
  pid: number;
  /** The port that it listens on, captured from its ready line. */
  port: number;
  /** Writes a line and returns the next line of JSON from the process. */
  ask: (line: string, msMax: number) => Promise<string>;
  stop: () => Promise<void>;
}>;

export type ChildOptions = Readonly<{
  name: string;
  core: number;
  /** Defaults to Node. */
  program?: string;
  /** Arguments of the program. For Node: its own, the script, and the script's. */
  argv: readonly string[];
  environment?: Readonly<Record<string, string>>;
  ready: RegExp;
}>;

export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, core, program = process.execPath, argv, environment, ready } = options;
  const command = isPinned ? 'taskset' : program;
  const pinning = isPinned ? ['-c', String(core), program] : [];
  const child = spawn(command, [...pinning, ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const transcript: string[] = [];
  let waiter: ((line: string) => void) | null = null;
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      transcript.push(line);
      if (transcript.length > transcriptLinesMax) transcript.shift();
      waiter?.(line);
    });
  }
  // Writing to a process that has just ended fails. Its end is reported instead.
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');

  const lineThat = async (accept: (line: string) => boolean, msMax: number): Promise<string> => {
    const found = new Promise<string>((resolve) => {
      waiter = (line) => {
        if (accept(line)) resolve(line);
      };
    });
    const done = new AbortController();
    const { signal } = done;
    try {
      return await Promise.race([
        found,
        ended.then(() => fail('ended')),
        wait(msMax, undefined, { signal }).then(() => fail(`said nothing for ${msMax} ms`)),
      ]);
    } finally {
      waiter = null;
      done.abort();
    }
  };
  const fail = (what: string): never => {
    throw new Error(`${name} ${what}:\n${transcript.join('\n')}`);
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const done = new AbortController();
    const { signal } = done;
    const impatient = wait(stopMsMax, undefined, { signal }).then(
      () => void child.kill('SIGKILL'),
      () => {},
    );
    await ended;
    done.abort();
    await impatient;
  };
  try {
    const line = await lineThat((text) => ready.test(text), readyMsMax);
    if (child.pid === undefined) return fail('has no process');
    const ask = (question: string, msMax: number): Promise<string> => {
      child.stdin.write(`${question}\n`);
      return lineThat((text) => text.startsWith('{'), msMax);
    };
    return { pid: child.pid, port: Number(ready.exec(line)?.[1]), ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
