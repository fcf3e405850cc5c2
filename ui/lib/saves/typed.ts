// Reads and writes typed fields of forms. Empty text means not set.

import { readCount, readMoney, writeMoney } from '../access/budget.ts';
import { lines, linesOf } from '../text/lines.ts';
import { differing, textOrNull, wrong, written } from './draft.ts';
import type { Read } from './draft.ts';

/** `read` returns undefined for invalid text; `must` says why. */
export type Typed<Value> = Readonly<{
  write(value: Value): string;
  read(text: string): Value | undefined;
  must: string;
}>;

export type Texts = Readonly<Record<string, string>>;

/** A field with several texts, such as a price card. `name` is the name of the field. */
export type TypedTexts<Value> = Readonly<{
  writeTexts(value: Value, name: string): Texts;
  readTexts(draft: Texts, name: string): Read<Value>;
}>;

const free = /^\$?0+(\.0{1,6})?$/;

/** Null if empty; undefined if invalid. Unlike a limit, a price can be 0. */
export const readPrice = (text: string): number | null | undefined =>
  free.test(text.trim()) ? 0 : readMoney(text);

/** Null if empty; undefined if it is not a whole number from 0. */
export function readBound(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '');
  if (plain === '') return null;
  const value = /^\d+$/.test(plain) ? Number(plain) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

export const name: Typed<string> = { write: String, read: (text) => text.trim(), must: '' };
export const text: Typed<string | null> = {
  write: (value) => value ?? '',
  read: textOrNull,
  must: '',
};
export const list: Typed<readonly string[]> = {
  write: lines,
  read: linesOf,
  must: 'must be one per line',
};
export const count: Typed<number | null> = {
  write: written,
  read: readCount,
  must: 'must be a whole number above zero, or empty',
};
export const bound: Typed<number | null> = {
  write: written,
  read: readBound,
  must: 'must be a whole number, or empty',
};
export const price: Typed<number | null> = {
  write: (micros) => (micros === 0 ? '0' : writeMoney(micros)),
  read: readPrice,
  must: 'must be dollars such as 0.25 or 3, or empty',
};

export const flag: Typed<boolean | null> = {
  write: (value) => (value === null ? '' : yesOrNo(value)),
  read: (given) => (given === '' ? null : given === yesOrNo(true)),
  must: '',
};
export const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

type AnyTyped = Typed<unknown> | TypedTexts<unknown>;
type Fields = Readonly<Record<string, AnyTyped>>;
type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Typed<infer Value>
    ? Value
    : F[Name] extends TypedTexts<infer Value>
      ? Value
      : unknown;
};
/** A field with several texts adds members to those. */
type Draft<F extends Fields> = Readonly<Record<keyof F, string>>;

/** `read` returns all values, or the first invalid field. */
export type TypedForm<F extends Fields> = Readonly<{
  blank: Draft<F>;
  write: (record: Values<F>) => Draft<F>;
  read: (draft: Draft<F>) => Read<Values<F>>;
  change: (draft: Draft<F>, record: Partial<Values<F>>) => Read<Partial<Values<F>>>;
}>;

export function formOf<F extends Fields>(fields: F): TypedForm<F>;
export function formOf(fields: Fields): TypedForm<Fields> {
  const read = (draft: Texts): Read<Values<Fields>> => {
    const values: Record<string, unknown> = {};
    for (const [key, typed] of Object.entries(fields)) {
      const found = readField(typed, draft, key);
      if ('wrong' in found) return found;
      values[key] = found.body;
    }
    return { body: values };
  };
  const blank = Object.fromEntries(Object.keys(fields).map((key) => [key, '']));
  const write = (record: Values<Fields>): Texts => {
    const texts = Object.entries(fields).map(([key, typed]) =>
      'write' in typed ? { [key]: typed.write(record[key]) } : typed.writeTexts(record[key], key),
    );
    return Object.assign({}, blank, ...texts);
  };
  return {
    blank,
    write,
    read,
    change: (draft, record) => {
      const found = read(draft);
      return 'wrong' in found ? found : { body: differing(found.body, record) };
    },
  };
}

function readField(typed: AnyTyped, draft: Texts, key: string): Read<unknown> {
  if ('readTexts' in typed) return typed.readTexts(draft, key);
  const body = typed.read(draft[key] ?? '');
  return body === undefined ? wrong(key, typed.must) : { body };
}

type Named = Readonly<Record<string, Readonly<{ type: string }>>>;

export function typedBy<const F extends Named, const Types extends Fields>(
  fields: F,
  types: Types & Readonly<Record<F[keyof F]['type'], AnyTyped>>,
): { readonly [Name in keyof F]: Types[F[Name]['type']] };
export function typedBy(fields: Named, types: Fields): object {
  return Object.fromEntries(Object.entries(fields).map(([key, { type }]) => [key, types[type]]));
}
