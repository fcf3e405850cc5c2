// Reads the text of a configuration file that a command names, within the bound that such a file has.

import { readFileSync, statSync } from 'node:fs';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

/** As many as in File mode. */
const fileBytesMax = 16 * 1024 * 1024;

/** Refuses `absent` when it cannot be read, `too_large` beyond the bound. */
export function readConfigText(path: string): string | Refusal {
  try {
    const { size } = statSync(path);
    if (size > fileBytesMax) {
      return refuse('too_large', `${path} has ${size} bytes, at most ${fileBytesMax} may be`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('absent', `${path} cannot be read (${code})`);
  }
}
