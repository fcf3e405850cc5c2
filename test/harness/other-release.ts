// Another release of the program: the same source with another description of one table, and so with read models of its own.

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

const root = path.join(import.meta.dirname, '../..');
const folders = ['events', 'migrations', 'projections', 'src', 'extensions', 'package.json'];
const changed = 'projections/tables/settings.ts';

/** Answers with the file to run. The copy goes when the test ends. */
export async function otherRelease(test: Pick<TestContext, 'after'>): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'gw-release-'));
  test.after(() => rm(copy, { recursive: true, force: true }));
  for (const folder of folders) {
    await cp(path.join(root, folder), path.join(copy, folder), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const file = path.join(copy, changed);
  const text = await readFile(file, 'utf8');
  const other = text.replace(/version: \d+,/, 'version: 1000,');
  assert.notEqual(other, text);
  await writeFile(file, other);
  return path.join(copy, 'src/main.ts');
}
