// Tests that the lock file is complete. `npm ci` rejects a platform binary without an entry, which
// npm writes if a registry does not have every platform.

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
it('every package has a hash, except optional binaries of tools', () => {
  const unhashed = Object.entries(readLock())
    .filter(([, { integrity, dev, optional }]) => integrity === undefined && !(dev && optional))
    .map(([place]) => place)
    .filter((place) => place !== '');
  assert.deepEqual(unhashed, []);
});
