// Makes a temporary directory for a test and removes it after the test.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

export async function temporaryDirectory(test: Pick<TestContext, 'after'>): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-test-'));
  test.after(() => rm(directory, { recursive: true }));
  return directory;
}
