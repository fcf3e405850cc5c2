// Reads the program's version from its package.json.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

const manifest = z.object({ version: z.string() });

export function programVersion(): string {
  const file = path.join(import.meta.dirname, '../../package.json');
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
