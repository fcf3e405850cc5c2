// How the fields of conditions are typed in the form of a rule, by their types: a field reads what it wrote.

import type { FieldType, RecordValue } from '../../../src/conditions/field-types.ts';
import { conditionFields } from '../../../src/conditions/table.ts';
import type { ConditionRecord, FieldName } from '../../../src/conditions/table.ts';
import { writeMoney } from '../access/budget.ts';
import { textOrNull, wrong, written } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { lines, linesOf } from '../text/lines.ts';
import { readPrice } from '../providers/model-draft.ts';
import { readOffset, writeOffset } from '../text/utc-offset.ts';

/** A list has a line per part. The empty text does not ask. */
export type ConditionDraft = Readonly<Record<FieldName, string>>;

/** `read` answers undefined for a text that it cannot read, for the reason that `must` states. */
type Typed<Value> = Readonly<{
  write(value: Value): string;
  read(text: string): Value | undefined;
  must: string;
}>;

const numbersOf = (text: string): readonly number[] =>
  linesOf(text)
    .map(Number)
    .toSorted((a, b) => a - b);

/** Null is an empty field; undefined is no whole number from 0. */
export function readBound(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '');
  if (plain === '') return null;
  const value = /^\d+$/.test(plain) ? Number(plain) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** One header per line; undefined when a line is not a header. */
export function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const filled = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = filled.map((line) => /^\s*([^\s:=]+)\s*[:=]\s*(.*?)\s*$/.exec(line));
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => [(pair?.[1] ?? '').toLowerCase(), pair?.[2] ?? '']),
  );
}

const list = { write: lines, read: linesOf, must: 'must be one per line' };
const numbers = { ...list, read: numbersOf };
const word = { write: (value: string | null) => value ?? '', read: textOrNull, must: '' };
const bound = {
  write: written,
  read: readBound,
  must: 'must be a whole number, or empty not to ask',
};

const types: { readonly [Type in FieldType]: Typed<RecordValue<Type>> } = {
  principals: numbers,
  roles: list,
  class: word,
  tokens: bound,
  requests: bound,
  percent: bound,
  micros: {
    // Unlike a budget's cap, a cost of nothing is a bound.
    write: (micros) => (micros === 0 ? '0' : writeMoney(micros)),
    read: readPrice,
    must: 'must be dollars such as 0.25, or empty',
  },
  flag: {
    write: (value) => (value === null ? '' : String(value)),
    read: (text) => (text === '' ? null : text === 'true'),
    must: '',
  },
  headers: {
    write: (headers) => lines(Object.entries(headers).map(([name, value]) => `${name}: ${value}`)),
    read: readHeaders,
    must: 'must be one per line, for example x-tier: gold',
  },
  minute: word,
  days: numbers,
  offset: {
    write: (minutes) => (minutes === 0 ? '' : writeOffset(minutes)),
    read: readOffset,
    must: 'must be an offset such as +02:00 or -05:30',
  },
};

const fields = Object.entries(conditionFields).map(([name, { type }]) => {
  const typed: Typed<unknown> = types[type];
  return { name, typed };
});

export function writeConditions(record: ConditionRecord): ConditionDraft;
export function writeConditions(record: ConditionRecord): object {
  return Object.fromEntries(
    fields.map(({ name, typed }) => [name, typed.write(Reflect.get(record, name))]),
  );
}

export function readConditions(draft: ConditionDraft): Read<ConditionRecord>;
export function readConditions(draft: ConditionDraft): Read<object> {
  const read = fields.map(({ name, typed }) => {
    const value = typed.read(String(Reflect.get(draft, name)));
    return { name, value, must: typed.must };
  });
  const unread = read.find(({ value }) => value === undefined);
  if (unread !== undefined) return wrong(unread.name, unread.must);
  return { body: Object.fromEntries(read.map(({ name, value }) => [name, value])) };
}

export const blankConditions: ConditionDraft = blankDraft();

function blankDraft(): ConditionDraft;
function blankDraft(): object {
  return Object.fromEntries(fields.map(({ name }) => [name, '']));
}
