// Reads request members with a plain value. Null counts as absent, as in the API itself.

import { isObject, member, writeJson } from './json.ts';
import type { JsonObject } from './json.ts';
import { invalid } from './refusal.ts';
import type { Refusals } from './refusal.ts';

/** The member's path in the request, for error messages. */
export const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);

const present = (object: JsonObject, name: string): unknown => member(object, name) ?? null;

const valueText = (value: unknown): string => {
  const text = writeJson(value) ?? 'a value that is nested too deeply';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

/** For example `temperature must be a number from 0 to 2, not 3`. */
export const mustBe = (what: string, value: unknown): string =>
  `must be ${what}, not ${valueText(value ?? null)}`;

export type Field = Readonly<{ object: JsonObject; at: string; refusals: Refusals }>;

export function readNumber(
  { object, at, refusals }: Field,
  name: string,
  range: Readonly<{ min: number; max: number }>,
): number | null {
  const value = present(object, name);
  if (value === null) return null;
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value;
  const what = `a number from ${range.min} to ${range.max}`;
  refusals.push(invalid(below(at, name), mustBe(what, value)));
  return null;
}

export function readCount({ object, at, refusals }: Field, name: string): number | null {
  const value = present(object, name);
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  refusals.push(invalid(below(at, name), mustBe('a whole number', value)));
  return null;
}

export function readBoolean({ object, at, refusals }: Field, name: string): boolean | null {
  const value = present(object, name);
  if (value === null || typeof value === 'boolean') return value;
  refusals.push(invalid(below(at, name), mustBe('true or false', value)));
  return null;
}

export function readText({ object, at, refusals }: Field, name: string): string | null {
  const value = present(object, name);
  if (value === null || typeof value === 'string') return value;
  refusals.push(invalid(below(at, name), mustBe('a string', value)));
  return null;
}

/** Refuses an absent member too. */
export function readName(field: Field, name: string): string {
  const value = readText(field, name);
  if (value !== null && value !== '') return value;
  const { object, at, refusals } = field;
  refusals.push(invalid(below(at, name), mustBe('a non-empty string', present(object, name))));
  return '';
}

export function readObject({ object, at, refusals }: Field, name: string): JsonObject | null {
  const value = present(object, name);
  if (value === null || isObject(value)) return value;
  refusals.push(invalid(below(at, name), mustBe('an object', value)));
  return null;
}

export function readList({ object, at, refusals }: Field, name: string): readonly unknown[] {
  const value = present(object, name);
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  refusals.push(invalid(below(at, name), mustBe('an array', value)));
  return [];
}

export function readChoice<const Choice extends string>(
  { object, at, refusals }: Field,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const value = present(object, name);
  if (value === null) return null;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  refusals.push(invalid(below(at, name), mustBe(`one of ${choices.join(', ')}`, value)));
  return null;
}

/** Refuses members that are not objects. */
export function readObjects(field: Field, name: string): readonly Field[] {
  const { at, refusals } = field;
  return readList(field, name).flatMap((object, index) => {
    const place = `${below(at, name)}[${index}]`;
    if (isObject(object)) return [{ object, at: place, refusals }];
    refusals.push(invalid(place, mustBe('an object', object)));
    return [];
  });
}
