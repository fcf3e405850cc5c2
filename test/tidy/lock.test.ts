// The lock file is whole: `npm ci` refuses one that lists a platform's binary without an entry for it, which is what npm writes
// behind a registry that does not carry every platform.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const readLock = () => {
  const file = path.join(import.meta.dirname, '../../package-lock.json');
  return lockFile.parse(JSON.parse(readFileSync(file, 'utf8'))).packages;
};

it('every optional dependency in the lock file has an entry', () => {
  const packages = readLock();
  const missing = Object.entries(packages).flatMap(([holder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        !(`node_modules/${name}` in packages || `${holder}/node_modules/${name}` in packages),
    ),
  );
  assert.deepEqual(missing, []);
});

// npm writes no hash for an optional binary of another platform, which it does not download.
it('every package of the program, and every one that is not a binary of a tool, has a hash', () => {
  const unhashed = Object.entries(readLock())
    .filter(([, { integrity, dev, optional }]) => integrity === undefined && !(dev && optional))
    .map(([place]) => place)
    .filter((place) => place !== '');
  assert.deepEqual(unhashed, []);
});
