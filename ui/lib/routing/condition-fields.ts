// Reads and writes the fields of conditions in the rule form by their types.

import type { FieldType, RecordValue } from '../../../src/conditions/field-types.ts';
import { conditionFields } from '../../../src/conditions/table.ts';
import type { FieldName } from '../../../src/conditions/table.ts';
import { bound, formOf, list, price, text, typedBy } from '../saves/typed.ts';
import type { Typed } from '../saves/typed.ts';
import { lines, linesOf } from '../text/lines.ts';
import { readOffset, writeOffset } from '../text/utc-offset.ts';

/** Lists have one line per part. Empty text means no condition. */
export type ConditionDraft = Readonly<Record<FieldName, string>>;

const numbersOf = (text: string): readonly number[] =>
  linesOf(text)
    .map(Number)
    .toSorted((a, b) => a - b);

/** One header per line; undefined if a line is not a header. */
export function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const filled = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = filled.map((line) => /^\s*([^\s:=]+)\s*[:=]\s*(.*?)\s*$/.exec(line));
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => [(pair?.[1] ?? '').toLowerCase(), pair?.[2] ?? '']),
  );
}

const numbers: Typed<readonly number[]> = { write: lines, read: numbersOf, must: list.must };
const asked = { ...bound, must: 'must be a whole number or empty' };

const types = {
  principals: numbers,
  roles: list,
  class: text,
  tokens: asked,
  requests: asked,
  percent: asked,
  micros: { ...price, must: 'must be dollars such as 0.25, or empty' },
  flag: {
    write: (value: boolean | null) => (value === null ? '' : String(value)),
    read: (given: string) => (given === '' ? null : given === 'true'),
    must: '',
  },
  headers: {
    write: (headers: Readonly<Record<string, string>>) =>
      lines(Object.entries(headers).map(([name, value]) => `${name}: ${value}`)),
    read: readHeaders,
    must: 'must be one per line, for example x-tier: gold',
  },
  minute: text,
  days: numbers,
  offset: {
    write: (minutes: number) => (minutes === 0 ? '' : writeOffset(minutes)),
    read: readOffset,
    must: 'must be an offset such as +02:00 or -05:30',
  },
} as const satisfies { readonly [Type in FieldType]: Typed<RecordValue<Type>> };

export const conditionForm = formOf(typedBy(conditionFields, types));
