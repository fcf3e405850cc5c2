// Reads the blocks of a configuration file before schemas are applied.

import type { Path } from './source.ts';

type Block = Readonly<Record<PropertyKey, unknown>>;

/** Empty if the block is missing or has another type. */
export function blockAt(tree: unknown, path: Path): Block {
  let value = tree;
  for (const part of path) value = isBlock(value) ? value[part] : undefined;
  return isBlock(value) ? value : {};
}

export const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null;

/** True if a setting is neither switched off nor empty. */
export const isAsked = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(isBlock(value) && Object.keys(value).length === 0);
