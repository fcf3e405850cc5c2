// Builds the management UI into ui/dist. With --when-stale it does so only when a source is newer than the build, and a build that
// fails is said and no more: the program runs without a UI.

import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const folder = path.join(root, 'ui');
const dist = path.join(folder, 'dist');

/** The newest of what the build is made from; packages change with the lock file. */
const newest = (): number =>
  Math.max(
    ...globSync(
      '{ui/*,ui/!(dist)/**/*,extensions/**/*,events/*,projections/**/*,package-lock.json}',
      { cwd: root },
    )
      .map((file) => statSync(path.join(root, file)))
      .filter((file) => file.isFile())
      .map((file) => file.mtimeMs),
  );

export function isStale(): boolean {
  const index = path.join(dist, 'index.html');
  return !existsSync(index) || statSync(index).mtimeMs < newest();
}

/** What an extension adds to the build. */
type Builder = Readonly<{ buildInto: (folder: string) => Promise<void> }>;

/** Into a folder of its own first: whoever reads ui/dist meanwhile finds a whole build. */
export async function buildUi(): Promise<void> {
  // Not needed, and perhaps not there, where the UI is built already.
  const { build } = await import('vite');
  const fresh = path.join(folder, `dist-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    await build({
      configFile: path.join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh },
    });
    for (const file of globSync('extensions/*/build.ts', { cwd: root })) {
      const extension: Builder = await import(path.join(root, file));
      await extension.buildInto(fresh);
    }
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    for (const rest of [fresh, old]) rmSync(rest, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const whenStale = process.argv.includes('--when-stale');
  try {
    if (!whenStale || isStale()) await buildUi();
  } catch (error) {
    process.stderr.write(`the management UI was not built: ${String(error)}\n`);
    if (!whenStale) process.exitCode = 1;
  }
}
