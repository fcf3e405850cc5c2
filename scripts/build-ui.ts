// Builds the management UI into ui/dist; with --when-stale only if a source is newer than the build.

import { globSync } from 'node:fs';
import path from 'node:path';

import { isOlder, replaceFolder, root, runBuild } from './build-folder.ts';

const folder = path.join(root, 'ui');
const dist = path.join(folder, 'dist');

/** Packages change with the lock file. */
const sources =
  '{ui/*,ui/!(dist)/**/*,extensions/**/*,events/*,projections/**/*,package-lock.json}';

export const isStale = (): boolean => isOlder(dist, sources);

/** Adds the files of an extension to the build. */
type Builder = Readonly<{ buildInto: (folder: string) => Promise<void> }>;

export const buildUi = (): Promise<void> =>
  replaceFolder(dist, async (fresh) => {
    // Loaded here, because a package with a built UI may not have it.
    const { build } = await import('vite');
    await build({
      configFile: path.join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh },
    });
    for (const file of globSync('extensions/*/build.ts', { cwd: root })) {
      const extension: Builder = await import(path.join(root, file));
      await extension.buildInto(fresh);
    }
  });

if (import.meta.main) await runBuild({ what: 'the management UI', isStale, build: buildUi });
