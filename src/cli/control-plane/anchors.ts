// Reads checkpoints that were saved outside of the database by --audit-checkpoint-file.

import { Option } from 'clipanion';
import { z } from 'zod';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export const anchorOption = () =>
  Option.String('--anchor', {
    description: 'file of saved checkpoints that the log must contain',
  });

export const keyOption = () =>
  Option.String('--key', { description: 'audit key, in hex, that must have signed a checkpoint' });

const line = z.object({ checkpoint: z.string() });

export function readAnchors(
  path: string | undefined,
  readFile: (path: string) => string,
): readonly string[] | Refusal {
  if (path === undefined) return [];
  const notes: string[] = [];
  const lines = readFile(path).split('\n');
  for (const [at, text] of lines.entries()) {
    if (text === '') continue;
    const read = line.safeParse(parsed(text));
    if (!read.success) return refuse('invalid', `--anchor: line ${at + 1} is not a checkpoint`);
    notes.push(read.data.checkpoint);
  }
  return notes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
