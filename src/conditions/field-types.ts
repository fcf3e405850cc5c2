// Defines the types of condition fields: their form in storage, requests, responses and files.

import { z } from 'zod';

import { requestsOrNoneField, spentField, tokensOrNoneField } from '../lib/amounts.ts';
import { headersField, referenceField } from '../lib/fields.ts';
import { principalId, promptClassId, roleId } from '../lib/ids.ts';
import { minuteOf } from './time.ts';

const whole = z.int().nullable();
const percent = z.int().min(0).max(100);
const offset = z.int().min(-1_440).max(1_440);
const day = z.int().min(1).max(7);
const headers = z.record(z.string(), z.string());
const principals = z.array(principalId);
const sorted = (days: readonly number[]) => [...new Set(days)].toSorted((a, b) => a - b);
const days = z.array(day).max(7).transform(sorted);

/** The invalid text, shortened. Times are not secret. */
const shown = (text: unknown): string => JSON.stringify(String(text).slice(0, 50));

const time = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, {
    error: ({ input }) => `must be a time from 00:00 to 23:59, was ${shown(input)}`,
  })
  .transform(minuteOf);

/** Null disables the condition. */
const nullable = <Given extends z.ZodType>(given: Given) => ({
  empty: null,
  input: given.nullish(),
  file: given.nullish().transform((value) => value ?? null),
});

const amount = <Given extends z.ZodType>(given: Given) => ({
  ...nullable(given),
  stored: z.int().nonnegative().nullable(),
  snapshot: whole,
  record: whole,
});

/**
 * `empty` disables the condition. `stored` is the form in events, `snapshot` in snapshots (accepts
 * values of later releases), `input` in requests, `file` in configuration files and `record` in
 * responses.
 */
export const fieldTypes = {
  principals: {
    empty: [],
    stored: principals.readonly(),
    snapshot: principals.readonly(),
    input: principals.max(1_000).nullish(),
    file: z.array(referenceField),
    record: principals.readonly(),
  },
  roles: {
    empty: [],
    stored: z.array(roleId).readonly(),
    snapshot: z.array(roleId).readonly(),
    input: z.array(referenceField).max(1_000).nullish(),
    file: z.array(referenceField),
    record: z.array(z.string()).readonly(),
  },
  /** A deleted class matches nothing. */
  class: {
    ...nullable(referenceField),
    stored: promptClassId.nullable(),
    snapshot: promptClassId.nullable(),
    record: z.string().nullable(),
  },
  tokens: amount(tokensOrNoneField),
  requests: amount(requestsOrNoneField),
  micros: amount(spentField),
  percent: { ...amount(percent), stored: percent.nullable() },
  flag: {
    ...nullable(z.boolean()),
    stored: z.boolean().nullable(),
    snapshot: z.boolean().nullable(),
    record: z.boolean().nullable(),
  },
  /** Names in lower case, exact values. */
  headers: {
    empty: {},
    stored: headers.readonly(),
    snapshot: headers,
    input: headersField.nullish(),
    file: headersField.default({}),
    record: headers.readonly(),
  },
  /** Minutes since midnight. `HH:MM` in requests, files and responses. */
  minute: {
    ...nullable(time),
    stored: z.int().min(0).max(1_439).nullable(),
    snapshot: whole,
    record: z.string().nullable(),
  },
  /** 1 (Monday) to 7. */
  days: {
    empty: [],
    stored: z.array(day).readonly(),
    snapshot: z.array(z.int()).readonly(),
    input: days.nullish(),
    file: days.default([]),
    record: z.array(z.int()).readonly(),
  },
  /** Minutes east of Greenwich. */
  offset: {
    empty: 0,
    stored: offset,
    snapshot: z.int(),
    input: offset.nullish(),
    file: offset.default(0),
    record: z.int(),
  },
} as const;

export type FieldTypes = typeof fieldTypes;
export type FieldType = keyof FieldTypes;
export type StoredValue<Type extends FieldType> = z.output<FieldTypes[Type]['stored']>;
export type RecordValue<Type extends FieldType> = z.input<FieldTypes[Type]['record']>;
