// Tests that `npm run test:unit` needs no Postgres, and that it selects files by folder.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filesOfTree, importedFile, importsOf } from './tree.ts';

const postgres = 'test/harness/postgres/postgres.ts';

test('no unit test reaches the harness that starts Postgres', () => {
  const files = new Map(filesOfTree().map((file) => [file.path, file]));
  const folders = /"test\/\{([^}]+)\}/.exec(
    files.get('package.json')?.text.replaceAll('\\', '') ?? '',
  );
  const unit = new RegExp(
    `^(test/(${folders?.[1]?.replaceAll(',', '|')}|ui/lib)/|extensions/.*/unit/).*\\.test\\.ts$`,
  );
  const reach = (from: string, seen: Set<string>): Set<string> => {
    const file = files.get(from);
    if (seen.has(from) || file === undefined) return seen;
    seen.add(from);
    for (const name of importsOf(file)) reach(importedFile(from, name) ?? '', seen);
    return seen;
  };
  const tests = [...files.keys()].filter((path) => unit.test(path));
  assert.ok(tests.length > 100);
  assert.deepEqual(
    tests.filter((path) => reach(path, new Set()).has(postgres)),
    [],
  );
});
