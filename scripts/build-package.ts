// Compiles the program into dist/ for `npm pack`, because Node does not run TypeScript in node_modules. Folders keep their places
// below dist/, so that paths relative to a module are the same in a checkout and in the package.

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

import { buildHelp, isHelpStale } from './build-help.ts';
import { buildUi, isStale } from './build-ui.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

/** Files that the program reads at run time and that the compiler does not copy. */
const data = ['package.json', 'migrations', 'ui/dist', 'help', 'src/classifier/english.words'];

export async function buildPackage(): Promise<void> {
  if (isStale()) await buildUi();
  if (isHelpStale()) await buildHelp();
  rmSync(dist, { recursive: true, force: true });
  const [compiler] = globSync('node_modules/.bin/tsc', { cwd: root });
  if (compiler === undefined) throw new Error('typescript is not installed: run npm ci first');
  execFileSync(path.join(root, compiler), ['-p', 'tsconfig.package.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const name of data) {
    cpSync(path.join(root, name), path.join(dist, name), { recursive: true });
  }
}

if (import.meta.main) await buildPackage();
