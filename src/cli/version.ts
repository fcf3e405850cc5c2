// Reads the program's version from its package.json, and the facts that a build recorded.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

const root = path.join(import.meta.dirname, '../..');
const manifest = z.object({ version: z.string() });

/** Written by `scripts/build-package.ts`. `license` is an SPDX expression. */
export const buildFacts = z.object({
  commit: z.string().nullable(),
  packages: z.array(z.object({ name: z.string(), version: z.string(), license: z.string() })),
});

export function programVersion(): string {
  const file = path.join(root, 'package.json');
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** A checkout has no recorded facts. */
export function readBuildFacts(): z.infer<typeof buildFacts> {
  const file = path.join(root, 'build.json');
  if (!existsSync(file)) return { commit: null, packages: [] };
  return buildFacts.parse(JSON.parse(readFileSync(file, 'utf8')));
}
