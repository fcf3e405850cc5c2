// Reads a secret from its environment variable, or from the file that `<variable>_FILE` names.

import { readFileSync } from 'node:fs';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

type Asked = Readonly<{ variable: string; param: string }>;

/** Null if neither is set. Refusals name the variable, never the secret. */
export function secretVariable(
  env: Readonly<Record<string, string | undefined>>,
  { variable, param }: Asked,
): string | Refusal | null {
  const text = env[variable] ?? '';
  const fileVariable = `${variable}_FILE`;
  const file = env[fileVariable] ?? '';
  if (file === '') return text === '' ? null : text;
  if (text !== '') {
    return refuse('invalid', `${variable} and ${fileVariable} are both set`, { param });
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const message = `${fileVariable} names ${file}, which cannot be read (${code})`;
    return refuse('invalid', message, { param });
  }
}
