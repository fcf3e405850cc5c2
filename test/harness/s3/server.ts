// Starts a server of the S3 API (PyPI: moto) that checks signatures and rights.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { preparePython } from '../python/packages.ts';
import type { Python } from '../python/packages.ts';

const startLimitMs = 60_000;

/** Throws an error that says what to install if that is not possible here. */
export const prepareS3 = (): Python =>
  preparePython({
    name: 'moto-5.2.5',
    requirements: path.join(import.meta.dirname, 'requirements.txt'),
    purpose: 'the test of the archive in a bucket',
  });

const given = z.object({ url: z.string(), accessKey: z.string(), secretKey: z.string() });
const lock = z.object({ mode: z.string().nullable(), until: z.string().nullable() });

/** The bucket is named `archive`. */
export async function s3Server(test: Pick<TestContext, 'after'>) {
  const { program, packages } = prepareS3();
  const child = spawn(program, [path.join(import.meta.dirname, 'server.py')], {
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  test.after(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => {
    const late = setTimeout(() => child.kill(), startLimitMs);
    const { value } = await lines.next();
    clearTimeout(late);
    return JSON.parse(z.string().parse(value));
  };
  const started = given.parse(await answer());
  const ask = (command: string): Promise<unknown> => {
    child.stdin.write(`${command}\n`);
    return answer();
  };
  return {
    ...started,
    /** The object lock of an object. */
    lockOf: async (name: string) => lock.parse(await ask(`lock ${name}`)),
    /** Replaces an object, as another client could. */
    change: (name: string) => ask(`change ${name}`),
    /** From now on, the server ignores If-None-Match. */
    replaceAlways: () => ask('replace always'),
  };
}
