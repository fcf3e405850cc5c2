// Builds the documentation site into help; with --when-stale only if a page is newer than the build. A dead link fails the build.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { writeScreenPages } from './help/screens.ts';
import { isOlder, replaceFolder, root, runBuild } from './build-folder.ts';

const folder = path.join(root, 'help');
const sources =
  '{docs/**/*,scripts/help/{*,.vitepress/*,.vitepress/theme/*},CHANGELOG.md,CONTRIBUTING.md,bench/RESULTS.md,package-lock.json}';

export const isHelpStale = (): boolean => isOlder(folder, sources);

/** VitePress writes its progress to standard output, which belongs to `gw dev --json`; a process of its own keeps it apart. */
export const buildHelp = (): Promise<void> =>
  replaceFolder(folder, async (fresh) => {
    const vitepress = path.join(root, 'node_modules/vitepress/bin/vitepress.js');
    if (!existsSync(vitepress)) throw new Error('vitepress is not installed; run npm ci');
    await promisify(execFile)(process.execPath, [vitepress, 'build', 'scripts/help'], {
      cwd: root,
      env: { ...process.env, GW_HELP_FOLDER: fresh, NODE_ENV: 'production' },
    });
    writeScreenPages(fresh);
  });

if (import.meta.main) {
  await runBuild({ what: 'the documentation', isStale: isHelpStale, build: buildHelp });
}
