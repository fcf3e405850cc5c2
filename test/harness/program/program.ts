// Runs gw in its own process, with flags and environment variables, and reads its log lines.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { until } from '../wait.ts';
import { programCommand } from './program-command.ts';

export type LogLine = Readonly<Record<string, unknown>>;

export type Program = Readonly<{
  child: ChildProcess;
  logs: readonly LogLine[];
  /** Lines on standard error other than log lines. */
  printed: readonly string[];
  /**
   * Resolves with the first past or future log line with this message. Fails if the program ends
   * first.
   */
  logged: (message: string) => Promise<LogLine>;
  /** Sends the signal and waits for the process to exit. */
  end: (signal: NodeJS.Signals) => Promise<void>;
}>;

/** Only reached if the program does not start. A busy machine may be slow. */
const startLimitMs = 60_000;

type Given = Readonly<{
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** The program file; this release by default. */
  file?: string | undefined;
  /** The limit for a log line to appear; 20 seconds by default. */
  limitMs?: number;
}>;

/** An unwritable path, because all tests would share the default path. */
const nowhere = '/dev/null/snapshot.json';

/**
 * Starts a process whose environment has only PATH, Node's compile cache (which halves the start
 * time) and the given variables. It is killed when the test ends.
 */
export function startProgram(
  test: Pick<TestContext, 'after'>,
  { args, env, file, limitMs = startLimitMs }: Given,
): Program {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const [program, ...first] = programCommand(file);
  const child = spawn(program, [...first, ...args, '--log-format', 'json'], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, GW_SNAPSHOT_CACHE: nowhere, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const logs: LogLine[] = [];
  const unread: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    const read = readLine(line);
    if (read === null) unread.push(line);
    else logs.push(read);
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasEnded()) child.kill(signal);
    await ended;
  };
  test.after(() => end('SIGKILL'));
  return {
    child,
    logs,
    printed: unread,
    end,
    logged: (message) =>
      until(
        () => {
          const found = logs.find((line) => line['message'] === message);
          if (found === undefined && hasEnded()) throw new Error(unread.join('\n'));
          return found;
        },
        { limitMs, what: `the log line ${message}` },
      ),
  };
}

function readLine(line: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
