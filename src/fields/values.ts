// Converts field values between requests, files, events, tables and responses.

import { camelCase } from '../lib/case.ts';
import type { Field, Fields, Held, StoredValues, Values } from './field.ts';

/** The results must have the types of the fields. The compiler cannot check this. */
export function valuesOf<F extends Fields>(
  fields: F,
  of: (name: string, field: Field) => unknown,
): Values<F>;
export function valuesOf(fields: Fields, of: (name: string, field: Field) => unknown): object {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, of(name, field)]));
}

export const blankValues = <F extends Fields>(fields: F): Values<F> => valuesOf(fields, () => null);

/** Null for missing fields. */
export const picked = <F extends Fields>(fields: F, record: object): Values<F> =>
  valuesOf(fields, (name) => Reflect.get(record, name) ?? null);

/** Create it once: it prepares the names in both spellings. */
export function readerOf<F extends Fields>(fields: F): (entity: Held<F>) => Values<F>;
export function readerOf(fields: Fields): (entity: object) => object {
  const names = Object.keys(fields).map((name) => [name, camelCase(name)] as const);
  return (entity) =>
    Object.fromEntries(names.map(([name, held]) => [name, Reflect.get(entity, held) ?? null]));
}

/** Without unset fields of later releases. */
export function storedValues<F extends Fields>(fields: F, values: Values<F>): StoredValues<F>;
export function storedValues(fields: Fields, values: object): object {
  const isStored = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null || fields[name]?.added !== true;
  return Object.fromEntries(Object.entries(values).filter(isStored));
}
