// Starts role proxy as a process, and finds out when it refuses a key.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, request } from 'undici';

export type RealProxy = Readonly<{
  pid: number;
  /** The time of `performance.now()` at which the first refusal arrived. */
  refusedAt: (key: string) => Promise<number>;
  serves: (key: string) => Promise<boolean>;
  end: () => Promise<void>;
}>;

const askMs = 2;
const giveUpMs = 30_000;

type Options = Readonly<{ controlUrl: string; proxyToken: string; directory: string }>;

export async function startRealProxy(options: Options): Promise<RealProxy> {
  const main = path.join(import.meta.dirname, '../../src/main.ts');
  const cache = path.join(options.directory, `${crypto.randomUUID()}.json`);
  // The providers of the bench do not exist.
  const quiet = ['--log-format', 'json', '--health-interval', '3600'];
  const args = ['--role', 'proxy', '--port', '0', ...quiet];
  const child = spawn(
    process.execPath,
    [main, ...args, '--control-url', options.controlUrl, '--snapshot-cache', cache],
    {
      env: { PATH: process.env['PATH'] ?? '', GW_PROXY_TOKEN: options.proxyToken },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const started = Promise.withResolvers<string>();
  child.once('close', () => started.reject(new Error('a proxy ended')));
  createInterface({ input: child.stderr }).on('line', (line) => {
    const found = /"url":"([^"]+)".*"message":"gateway started"/.exec(line);
    if (found?.[1] !== undefined) started.resolve(found[1]);
    else if (line.includes('control_link') && /"level":"(?:warn|error)"/.test(line))
      console.error(line.slice(0, 300));
  });
  const url = await started.promise;
  const dispatcher = new Agent({ connections: 1 });
  const status = async (key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const { statusCode, body } = await request(`${url}/v1/models`, { headers, dispatcher });
    await body.dump();
    return statusCode;
  };
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  return {
    pid: child.pid ?? 0,
    serves: async (key) => (await status(key)) === 200,
    refusedAt: async (key) => {
      const untilMs = performance.now() + giveUpMs;
      while (performance.now() < untilMs) {
        if ((await status(key)) === 401) return performance.now();
        await sleep(askMs);
      }
      throw new Error(`a revoked key was still served after ${giveUpMs} ms`);
    },
    end: async () => {
      child.kill('SIGTERM');
      await ended;
      await dispatcher.close();
    },
  };
}

/** Megabytes that are resident. */
export const residentMb = (pid: number): number =>
  Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
  );
