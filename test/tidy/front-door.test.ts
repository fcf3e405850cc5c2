// Tests that the pages for newcomers match the repository.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filesOfTree } from './tree.ts';

const files = filesOfTree();
const textOf = (name: string): string => files.find(({ path }) => path === name)?.text ?? '';

/** Top folders, except those of tools, and the folders in `src`. */
const folders = new Set(
  files.flatMap(({ path }) => /^(src\/[^/.]+|[^./][^/.]*)\//.exec(path)?.[1] ?? []),
);

test('the map of ARCHITECTURE.md names every folder, and no other', () => {
  const mapped = [...textOf('docs/ARCHITECTURE.md').matchAll(/^\| `([^`]+?)\/?`/gm)].map(
    ([, name]) => name,
  );
  folders.delete('src');
  assert.deepEqual(new Set(mapped), folders);
});

test('ARCHITECTURE.md names only files that exist', () => {
  const named = [...textOf('docs/ARCHITECTURE.md').matchAll(/`((?:\w[\w-]*\/)*[\w-]+\.ts)`/g)];
  const missing = named
    .map(([, name = '']) => name)
    .filter((name) => !files.some(({ path }) => path === name || path.endsWith(`/${name}`)));
  assert.deepEqual(missing, []);
});

test('CONTRIBUTING.md and README.md name only scripts of package.json', () => {
  const named = ['CONTRIBUTING.md', 'README.md'].flatMap((page) =>
    [...textOf(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
  );
  const missing = named.filter((name) => !textOf('package.json').includes(`"${name}": `));
  assert.deepEqual(missing, []);
});
