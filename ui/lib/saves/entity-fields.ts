// Draws the plain fields of records in forms and lists.

import type { Field } from '../../../src/fields/field.ts';
import type { FieldType } from '../../../src/fields/field-types.ts';
import { rates } from '../providers/card-draft.ts';
import { formatNumber } from '../text/format.ts';
import { bound, count, flag, price } from './typed.ts';
import type { Typed, TypedTexts } from './typed.ts';

export const entityTypes = {
  price,
  tokens: count,
  outputTokens: count,
  cacheSeconds: count,
  requests: count,
  requestsOrNone: bound,
  seconds: count,
  secondsOrNone: bound,
  flag,
  rates,
} satisfies Readonly<Record<FieldType, Typed<unknown> | TypedTexts<unknown>>>;

export const hintOf = ({ hint, default: unset }: Field): string =>
  unset === undefined ? hint : `${hint} Default: ${unset}.`;

/** Shown if the field is not set. */
export const unsetText = ({ default: unset, ...field }: Field): string =>
  unset === undefined ? (field.unset ?? 'none') : `${withUnit(field, unset)} (default)`;

export const withUnit = ({ unit }: Pick<Field, 'unit'>, value: number): string =>
  unit === undefined ? formatNumber(value) : `${formatNumber(value)} ${unit}`;

export function pairs<F extends object>(
  fields: F,
): readonly { [N in keyof F]: [N, F[N]] }[keyof F][];
export function pairs(fields: object): readonly [string, unknown][] {
  return Object.entries(fields);
}
