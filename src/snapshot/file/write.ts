// Writes a configuration file with notes for its user at the top.

import { stringify } from 'yaml';

import { reference } from './source.ts';

export function writeConfigFile(
  tree: Readonly<Record<string, unknown>>,
  notes: readonly string[],
): string {
  return writeYaml(plain(tree), notes);
}

/** The whole tree, after the notes. */
export function writeYaml(tree: unknown, notes: readonly string[]): string {
  const header = notes.map((note) => `# ${note.replaceAll('\n', ' ')}\n`).join('');
  return header + stringify(tree, { lineWidth: 0, aliasDuplicateObjects: false });
}

export const variableReference = (name: string): string => `${reference}${name}`;

/** Omits empty members. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined && member !== null)
      .map(([key, member]) => [key, plain(member)]),
  );
}
