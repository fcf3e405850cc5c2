// Writes the modules that `npm test` runs: each imports several test files of one directory, because most of a short file's time goes
// into starting a process and compiling what it imports (ADR 38).

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.join(import.meta.dirname, '..');
const groups = path.join(root, 'node_modules/.cache/gw/tests');

const filesInGroup = 8;
/** A file that drives a browser takes as long as several others. */
const browserFilesInGroup = 4;

/** Directories with the longest tests. They start first, so that no long test runs alone at the end. */
const slowest = [
  'browser',
  'deploy',
  'faults',
  'e2e',
  'docs',
  'extensions',
  'cli',
  'db',
  'control',
  'admin',
];

const directoryOf = (file: string): string => {
  if (/\/ui\/[^/]+$/.test(file)) return 'browser';
  return file.startsWith('extensions') ? 'extensions' : (file.split(path.sep)[1] ?? '');
};

const turnOf = (directory: string): number => slowest.indexOf(directory) + 1 || slowest.length + 1;

/** Neighbours by name go to different groups, because they often take the same time. */
function parted(directory: string, files: readonly string[]): string[][] {
  const each = directory === 'browser' ? browserFilesInGroup : filesInGroup;
  const count = Math.ceil(files.length / each);
  return Array.from({ length: count }, (_, group) => files.filter((_, at) => at % count === group));
}

/** The number in the name sets the order, because the test runner sorts by name. */
function write(files: readonly string[], turn: number): void {
  const name = `${String(turn).padStart(3, '0')}-${directoryOf(files[0] ?? '')}.test.mjs`;
  const urls = files.map((file) => pathToFileURL(path.join(root, file)).href);
  const imports = urls.map((url) => `import ${JSON.stringify(url)};\n`).join('');
  writeFileSync(path.join(groups, name), imports);
}

const directories = [
  ...Map.groupBy(globSync('{test,extensions}/**/*.test.ts', { cwd: root }).toSorted(), directoryOf),
].toSorted(([left], [right]) => turnOf(left) - turnOf(right));

rmSync(groups, { recursive: true, force: true });
mkdirSync(groups, { recursive: true });
for (const [turn, files] of directories
  .flatMap(([directory, files]) => parted(directory, files))
  .entries()) {
  write(files, turn);
}
