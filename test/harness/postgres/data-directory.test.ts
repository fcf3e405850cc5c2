// Tests that data which a killed run left in memory is removed.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { dataDirectory } from './data-directory.ts';

const hour = 60 * 60 * 1000;

async function leave(t: TestContext, processId: number, ageMs: number): Promise<string> {
  const { directory } = await dataDirectory();
  await mkdir(path.join(directory, 'data'), { recursive: true });
  t.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(path.join(directory, 'data', 'postmaster.pid'), `${processId}\n`);
  const at = new Date(Date.now() - ageMs);
  await utimes(directory, at, at);
  return directory;
}

test('data in memory without a running server is removed after an hour', async (t) => {
  const left = await leave(t, 2 ** 30, hour);
  const recent = await leave(t, 2 ** 30, 0);
  const used = await leave(t, process.pid, hour);
  const { isInMemory } = await dataDirectory();
  assert.deepEqual([existsSync(recent), existsSync(used)], [true, true]);
  if (isInMemory) assert.equal(existsSync(left), false);
});
