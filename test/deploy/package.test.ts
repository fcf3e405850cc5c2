// Holds what `npm pack` packs: the program and the built UI, and nothing else; and that the image can build the UI.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';

import { buildUi, isStale } from '../../scripts/build-ui.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

const under = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

it('a package holds the program with its built UI, and nothing else', async () => {
  if (isStale()) await buildUi();
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout);
  const names = packed.files.map((file: { path: string }) => file.path).toSorted();
  const program = ['events', 'migrations', 'projections', 'src', 'ui/dist'].flatMap((folder) =>
    under(`${folder}/**/*`),
  );
  const about = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
  assert.deepEqual(names, [...program, ...about].toSorted());
  for (const needed of ['src/main.ts', 'ui/dist/index.html', 'src/classifier/english.words']) {
    assert.ok(names.includes(needed), needed);
  }
});

it('what the build of the image is not given is nothing that the UI is built from', () => {
  const ignored = read('.dockerignore').split('\n');
  const used = [...read('ui/vite.config.ts').matchAll(/'\.\.\/(deploy\/\w+)\//g)].map(
    ([, folder]) => folder,
  );
  assert.deepEqual(used, ['deploy/dashboards']);
  for (const folder of used) assert.ok(ignored.includes(`!${folder}`), folder);
  assert.ok(!ignored.includes('deploy') && !ignored.includes('ui'));
});
