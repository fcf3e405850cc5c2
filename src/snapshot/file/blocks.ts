// The blocks of a configuration file as they were read, before any schema.

import type { Path } from './source.ts';

type Block = Readonly<Record<PropertyKey, unknown>>;

/** Empty when nothing is there, or when it is not a block. */
export function blockAt(tree: unknown, path: Path): Block {
  let value = tree;
  for (const part of path) value = isBlock(value) ? value[part] : undefined;
  return isBlock(value) ? value : {};
}

export const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null;

/** Whether a setting asks for something: one that is switched off or empty does not. */
export const isAsked = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(isBlock(value) && Object.keys(value).length === 0);
