// Computes the rows of a diff between two records, including fields of lists and objects.

import { create } from 'jsondiffpatch';

export type FieldChange = Readonly<{
  /** Dotted, like the server names fields in errors. */
  field: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}>;

const differ = create({ arrays: { detectMove: false }, objectHash: keyOf });

function keyOf(value: object, index?: number): string {
  const id: unknown = Reflect.get(value, 'id') ?? Reflect.get(value, 'name');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : `#${index}`;
}

/** In the order of the fields. Fields missing in `after` are unchanged. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly FieldChange[] {
  const given = Object.entries(after).filter(([, value]) => value !== undefined);
  const compared = Object.fromEntries(given.map(([name]) => [name, before[name]]));
  return leaves(differ.diff(compared, Object.fromEntries(given)), []);
}

/** https://github.com/benjamine/jsondiffpatch/blob/master/docs/deltas.md */
function leaves(delta: unknown, path: readonly string[]): readonly FieldChange[] {
  const field = path.join('.');
  if (Array.isArray(delta)) {
    if (delta.length === 1) return [{ field, kind: 'added', before: undefined, after: delta[0] }];
    if (delta.length === 2) return [changed(field, delta[0], delta[1])];
    return [{ field, kind: 'removed', before: delta[0], after: undefined }];
  }
  if (typeof delta !== 'object' || delta === null) return [];
  return Object.entries(delta)
    .filter(([name]) => name !== '_t')
    .flatMap(([name, inner]) => leaves(inner, [...path, name.replace(/^_/, '')]));
}

function changed(field: string, before: unknown, after: unknown): FieldChange {
  const kind = isUnset(before) ? 'added' : isUnset(after) ? 'removed' : 'changed';
  return { field, kind, before, after };
}

const isUnset = (value: unknown): boolean => value === undefined || value === null;
