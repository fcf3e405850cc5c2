// Builds a folder from sources without a moment in which it is incomplete, and only when a source changed.

import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '..');

/** Returns true if the folder has no index.html, or one that is older than a file that the pattern matches. */
export function isOlder(folder: string, pattern: string): boolean {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) return true;
  const built = statSync(index).mtimeMs;
  return globSync(pattern, { cwd: root })
    .map((file) => statSync(path.join(root, file)))
    .some((file) => file.isFile() && file.mtimeMs > built);
}

/** Builds into a new folder, then renames it, so that a reader of `folder` always finds a complete build. */
export async function replaceFolder(
  folder: string,
  build: (fresh: string) => Promise<void>,
): Promise<void> {
  const fresh = `${folder}-${process.pid}`;
  const old = `${fresh}-old`;
  try {
    await build(fresh);
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } finally {
    for (const rest of [fresh, old]) rmSync(rest, { recursive: true, force: true });
  }
}

type Build = Readonly<{ what: string; isStale: () => boolean; build: () => Promise<void> }>;

/** With --when-stale, a failed build is reported and not fatal: the program runs without the folder. */
export async function runBuild({ what, isStale, build }: Build): Promise<void> {
  const whenStale = process.argv.includes('--when-stale');
  try {
    if (!whenStale || isStale()) await build();
  } catch (error) {
    process.stderr.write(`${what} was not built: ${String(error)}\n`);
    if (!whenStale) process.exitCode = 1;
  }
}
