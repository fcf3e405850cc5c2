// Copies the source, so that a test can change it before it is compiled or run.

import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

const root = path.join(import.meta.dirname, '../../..');

/** The folders that the program needs to run. */
export const programFolders = ['events', 'migrations', 'projections', 'src', 'extensions'] as const;

/** Excludes build output and installed packages. The copy is deleted when the test ends. */
export async function sourceCopy(
  test: Pick<TestContext, 'after'>,
  folders: readonly string[],
): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'gw-source-'));
  test.after(() => rm(copy, { recursive: true, force: true }));
  const built = path.join(root, 'ui/dist');
  for (const folder of [...folders, 'package.json']) {
    const filter = (file: string): boolean => !file.startsWith(built);
    await cp(path.join(root, folder), path.join(copy, folder), { recursive: true, filter });
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}
