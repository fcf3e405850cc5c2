// Each advisory lock has a number of its own, because Postgres has one space of numbers for a database.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

const root = path.join(import.meta.dirname, '../..');

it('gives each advisory lock a number of its own', () => {
  const numbers = globSync('{src,extensions}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/Lock = (7_100_\d{3});/g)].map(
      ([, number]) => number,
    ),
  );
  assert.ok(numbers.length > 5);
  assert.deepEqual(numbers, [...new Set(numbers)]);
});
