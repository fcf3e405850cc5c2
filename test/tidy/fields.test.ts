// Tests that a plain field of an entity is defined in one place (CONTRIBUTING.md, "Add a field to
// provider models").

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { flowFields, modelFields } from '../../src/fields/model.ts';
import { camelCase } from '../../src/lib/case.ts';
import { root, sourcesOfTree } from './tree.ts';

const program = /^(events|projections|src|ui)\//;
const filesMax = 6;

/** Many parts of the program use these: price lists, costs, and context windows. */
const worked = new Set([
  'input_price_per_mtok',
  'output_price_per_mtok',
  'price_card',
  'context_length',
]);

/** Files derived from the table. */
const derived = [
  'events/',
  'projections/',
  'src/admin/providers/backends',
  'src/admin/providers/model',
  'src/control/files/',
  'src/deciders/model',
  'src/deciders/restore',
  'src/snapshot/file/build',
  'src/snapshot/file/format',
  'src/snapshot/schema',
  'ui/lib/providers/model-draft',
  'ui/lib/saves/',
  'ui/lib/text/field-label',
  'ui/screens/models/form',
];

const files = sourcesOfTree().filter(({ path: file }) => program.test(file));

const filesNaming = (name: string): readonly string[] => {
  const named = new RegExp(`\\b(${name}|${camelCase(name)})\\b`);
  return files.filter(({ text }) => named.test(text)).map(({ path: file }) => file);
};

test('the name of a field of models is in at most six files of the program', () => {
  const names = Object.keys({ ...modelFields, ...flowFields }).filter((name) => !worked.has(name));
  assert.ok(names.includes('cache_ttl_seconds'));
  // The field that turns flow control on appears in more files.
  const spread = names.filter((name) => name !== 'admission_max_concurrent').map(filesNaming);
  assert.deepEqual(
    spread.filter((found) => found.length > filesMax || found.length === 0),
    [],
  );
});

test('files derived from the table name no field of models', () => {
  const named = Object.keys({ ...modelFields, ...flowFields }).flatMap((name) =>
    filesNaming(name).filter((file) => derived.some((start) => file.startsWith(start))),
  );
  assert.deepEqual(named, []);
});

const added = `
  cat_count: {
    type: 'requests',
    event: 'ModelCatCountSet',
    added: true,
    label: 'Cats',
    column: 'Cats',
    hint: 'How many cats a request meets',
  },
} as const satisfies Record<string, SetField>;
`;
const end = '\n} as const satisfies Record<string, SetField>;\n';

test('a field added to the table alone appears everywhere', async (t) => {
  const scratch = await mkdtemp(path.join(tmpdir(), 'gw-field-'));
  t.after(() => rm(scratch, { recursive: true, force: true }));
  const parts = ['events', 'projections', 'src', 'ui', 'extensions', 'test/fields', 'test/harness'];
  await Promise.all(
    [...parts, 'package.json'].map((part) =>
      cp(path.join(root, part), path.join(scratch, part), { recursive: true }),
    ),
  );
  await symlink(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  const table = path.join(scratch, 'src/fields/model.ts');
  const text = await readFile(table, 'utf8');
  assert.ok(text.includes(end));
  await writeFile(table, text.replace(end, added));
  const script = path.join(scratch, 'test/fields/added-field.ts');
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-isolation=none', script],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ℹ pass 7$|^# pass 7$/m);
});
