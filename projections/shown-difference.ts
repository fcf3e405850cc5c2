// Formats differences between two states for answers. They never contain credentials, verifiers or
// their refs.

import type { Difference } from './diff.ts';
import type { FieldValue } from './entity-fields.ts';

/** Null if there is no value. For a secret, only its presence and whether it changed are shown. */
type ShownField = Readonly<{ field: string; before: unknown; after: unknown; secret: boolean }>;

export type ShownDifference = Omit<Difference, 'name' | 'fields'> &
  Readonly<{
    /** Null if the kind has no names or the name was erased. */
    name: string | null;
    fields: readonly ShownField[];
  }>;

/** Null if the text of a ref is not known. */
type Reveal = (ref: string) => string | null;

export function shownDifference(
  { name, fields, ...change }: Difference,
  reveal: Reveal,
  nameOf: Reveal = reveal,
): ShownDifference {
  return {
    ...change,
    name: name === null ? null : textOf(name, nameOf),
    fields: fields.map(({ field, before, after }) => {
      const secret = [before, after].some((value) => value !== null && 'secret' in value);
      return secret
        ? { field, before: before && 'set', after: after && (before ? 'changed' : 'set'), secret }
        : { field, before: shown(before, reveal), after: shown(after, reveal), secret };
    }),
  };
}

const shown = (value: FieldValue | null, reveal: Reveal): unknown =>
  value === null ? null : 'value' in value ? value.value : textOf(value, reveal);

function textOf(value: FieldValue, reveal: Reveal): string | null {
  if ('personal' in value) return reveal(value.personal);
  return 'value' in value && typeof value.value === 'string' ? value.value : null;
}
