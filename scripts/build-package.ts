// Compiles what `npm pack` packs into dist/: Node runs TypeScript in a checkout, but refuses to in node_modules. Folders keep their
// places below dist/, so that a path relative to a module is the same in both.

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

import { buildUi, isStale } from './build-ui.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

/** What the program reads at run time and the compiler does not copy. */
const data = ['package.json', 'migrations', 'ui/dist', 'src/classifier/english.words'];

export async function buildPackage(): Promise<void> {
  if (isStale()) await buildUi();
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
