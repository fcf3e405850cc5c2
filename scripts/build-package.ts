// Compiles the program into dist/ for `npm pack`, because Node does not run TypeScript in node_modules. Folders keep their places
// below dist/, so that paths relative to a module are the same in a checkout and in the package.

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { z } from 'zod';

import type { buildFacts } from '../src/cli/version.ts';
import { buildHelp, isHelpStale } from './build-help.ts';
import { buildUi, isStale } from './build-ui.ts';
import { productionPackages } from './executable/archive.ts';
import type { Platform } from './executable/archive.ts';

const root = path.join(import.meta.dirname, '..');

/** Files that the program reads at run time and that the compiler does not copy. */
const data = ['package.json', 'migrations', 'ui/dist', 'help', 'src/classifier/english.words'];

/** `dist` is an absolute path. A folder that exists there is replaced. */
export async function buildPackage(
  dist: string,
  platform: Platform = { os: process.platform, cpu: process.arch },
): Promise<void> {
  if (isStale()) await buildUi();
  if (isHelpStale()) await buildHelp();
  rmSync(dist, { recursive: true, force: true });
  const [compiler] = globSync('node_modules/.bin/tsc', { cwd: root });
  if (compiler === undefined) throw new Error('typescript is not installed: run npm ci first');
  execFileSync(path.join(root, compiler), ['-p', 'tsconfig.package.json', '--outDir', dist], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const name of data) {
    cpSync(path.join(root, name), path.join(dist, name), { recursive: true });
  }
  writeFileSync(path.join(dist, 'build.json'), JSON.stringify(factsOfBuild(platform)));
}

/** `gw version --json` prints them. */
function factsOfBuild(platform: Platform): z.infer<typeof buildFacts> {
  const packages = productionPackages(root, platform).map(({ folder, version, license }) => ({
    name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    license,
  }));
  return { commit: currentCommit(), packages };
}

/** Null outside of a git checkout. */
function currentCommit(): string | null {
  try {
    const asking = ['rev-parse', 'HEAD'];
    return execFileSync('git', asking, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

if (import.meta.main) await buildPackage(path.join(root, 'dist'));
