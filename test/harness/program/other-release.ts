// Builds another release of the program: the same source with one table changed, and therefore with
// its own read models.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { programFolders, sourceCopy } from './source-copy.ts';

const changed = 'projections/tables/settings.ts';

/** Returns the file to run. The copy is deleted when the test ends. */
export async function otherRelease(test: Pick<TestContext, 'after'>): Promise<string> {
  const copy = await sourceCopy(test, programFolders);
  const file = path.join(copy, changed);
  const text = await readFile(file, 'utf8');
  const other = text.replace(/version: \d+,/, 'version: 1000,');
  assert.notEqual(other, text);
  await writeFile(file, other);
  return path.join(copy, 'src/main.ts');
}
