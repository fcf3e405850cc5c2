// Filters, searches and sorts the records of a list as returned. Pure.

import { z } from 'zod';

import { compareText } from '../../lib/text.ts';
import { listFields, valueIn } from './list-fields.ts';
import type { FilterValue, ListFields } from './list-fields.ts';

export type Selection = Readonly<{
  fields: ListFields;
  filters: readonly (readonly [name: string, wanted: FilterValue])[];
  /** In lower case. A record must contain it. */
  part: string | null;
  sort: Readonly<{ field: string; sign: 1 | -1 }> | null;
}>;

type Asked = Readonly<{ q?: string | undefined; sort?: string | undefined }>;

export function readSelection(asked: Asked, record: z.ZodObject): Selection {
  const { q, sort } = asked;
  const fields = listFields(record);
  return {
    fields,
    filters: [...fields.keys()].flatMap((name) => {
      const wanted = valueIn(asked, name);
      return isFilterValue(wanted) ? [[name, wanted] as const] : [];
    }),
    part: q?.toLowerCase() ?? null,
    sort:
      sort === undefined
        ? null
        : { field: sort.replace(/^-/, ''), sign: sort.startsWith('-') ? -1 : 1 },
  };
}

export const isPlain = ({ filters, part, sort }: Selection): boolean =>
  filters.length === 0 && part === null && sort === null;

const isFilterValue = (value: unknown): value is FilterValue => value === null || isSingle(value);

const isSingle = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

export const select = {
  /**
   * Drops rows that cannot match before their records are built, which needs reads from the vault.
   */
  rows: <Row extends object>(rows: readonly Row[], { filters }: Selection): readonly Row[] =>
    rows.filter((row) =>
      filters.every(([name, wanted]) => {
        const value = valueIn(row, name);
        return !isSingle(value) || value === wanted;
      }),
    ),
  records: <Body extends object>(
    records: readonly Body[],
    { filters, part, fields }: Selection,
  ): readonly Body[] =>
    records.filter(
      (record) =>
        filters.every(([name, wanted]) => passes(valueIn(record, name), wanted)) &&
        (part === null || mentions(record, fields, part)),
    ),
};

const passes = (value: unknown, wanted: FilterValue): boolean =>
  Array.isArray(value) ? value.includes(wanted) : value === wanted;

const mentions = (record: object, fields: ListFields, part: string): boolean =>
  [...fields].some(
    ([name, { kind }]) =>
      kind === 'text' &&
      [valueIn(record, name)]
        .flat()
        .some((text) => typeof text === 'string' && text.toLowerCase().includes(part)),
  );

type SortValue = string | number | boolean | null;

type Place = Readonly<{ value: SortValue; key: string | number }>;

type Keyed = Readonly<{ key: string; readKey: (text: string) => string | number | null }>;

/** The order of a list, and the cursor format for a place in it. */
export function orderOf({ sort }: Selection, { key, readKey }: Keyed) {
  return {
    placeOf: (record: object): Place => ({
      value: sort === null ? null : singleOrNull(valueIn(record, sort.field)),
      key: keyOf(record, key),
    }),
    compare: (one: Place, other: Place): number =>
      compareSorted(one.value, other.value, sort?.sign ?? 1) || compareSingle(one.key, other.key),
    write: ({ value, key }: Place): string =>
      sort === null ? String(key) : JSON.stringify([value, key]),
    /** Null if this list cannot have returned the text. */
    read: (text: string): Place | null => {
      if (sort !== null) return sortedPlace(text);
      const read = readKey(text);
      return read === null ? null : { value: null, key: read };
    },
  };
}

const placeParts = z.tuple([
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
  z.union([z.string(), z.number()]),
]);

function sortedPlace(text: string): Place | null {
  try {
    const parts = placeParts.safeParse(JSON.parse(text));
    return parts.success ? { value: parts.data[0], key: parts.data[1] } : null;
  } catch {
    return null;
  }
}

function keyOf(record: object, name: string): string | number {
  const key = valueIn(record, name);
  if (typeof key === 'string' || typeof key === 'number') return key;
  throw new Error(`a record of the list has no ${name}`);
}

const singleOrNull = (value: unknown): SortValue => (isSingle(value) ? value : null);

/** Records without a value come last in both directions. */
function compareSorted(one: SortValue, other: SortValue, sign: 1 | -1): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return sign * compareSingle(one, other);
}

/** Text by code point, numbers by value, and false before true. */
const compareSingle = (one: string | number | boolean, other: string | number | boolean): number =>
  typeof one === 'string' || typeof other === 'string'
    ? compareText(String(one), String(other))
    : Number(one) - Number(other);
