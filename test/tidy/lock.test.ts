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
    z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
});

it('every optional dependency in the lock file has an entry', () => {
  const file = path.join(import.meta.dirname, '../../package-lock.json');
  const { packages } = lockFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const missing = Object.entries(packages).flatMap(([holder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        !(`node_modules/${name}` in packages || `${holder}/node_modules/${name}` in packages),
    ),
  );
  assert.deepEqual(missing, []);
});
