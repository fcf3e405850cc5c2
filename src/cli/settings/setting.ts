// Defines the type of a setting and the value types that several settings share. settings-table.ts lists the settings.

import assert from 'node:assert/strict';

import { z } from 'zod';

import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { readLogFilter } from '../../telemetry/log-filter.ts';

export type Setting<Schema extends z.ZodType = z.ZodType, Fallback = unknown> = Readonly<{
  /** Null: environment only, because every user of the machine can see flags. */
  flag: string | null;
  variable: string;
  /** Parses the text of a flag or variable. Its messages say what the value must be. */
  schema: Schema;
  fallback: Fallback;
  unit: 'seconds' | 'days' | 'MiB' | 'bytes' | null;
  /** Never shown. `<variable>_FILE` can name a file with the value. */
  secret: boolean;
  /** The flag can be repeated; the values are joined with commas. */
  repeatable: boolean;
  description: string;
}>;

export type SettingTable = Readonly<Record<string, Setting>>;

/** `file`: from the file that a `GW_*_FILE` variable names. */
export type SettingSource = 'flag' | 'env' | 'file' | 'default';

/** By name, of every table. */
export type GivenSettings = Readonly<Record<string, unknown>> &
  Readonly<{ role: string; sources: Readonly<Record<string, SettingSource>> }>;

/** The settings that an extension adds, and what their values mean for the start of a role. */
export type SettingsPart = Readonly<{
  table: SettingTable;
  refusals?: (settings: GivenSettings) => readonly Refusal[];
  warnings?: (settings: GivenSettings) => readonly string[];
}>;

/** By name. */
export type ValuesOf<Table extends SettingTable> = Readonly<{
  [Name in keyof Table]: ValueOf<Table[Name]>;
}>;

type ValueOf<Entry> =
  Entry extends Readonly<{ schema: infer Schema extends z.ZodType; fallback: infer Fallback }>
    ? z.output<Schema> | Extract<Fallback, null>
    : never;

type Definition<Schema extends z.ZodType, Fallback> = Readonly<{
  flag: string | null;
  variable: string;
  schema: Schema;
  fallback: Fallback;
  unit?: 'seconds' | 'days' | 'MiB' | 'bytes';
  secret?: boolean;
  repeatable?: boolean;
  description: string;
}>;

export function define<Schema extends z.ZodType, const Fallback extends z.output<Schema> | null>(
  definition: Definition<Schema, Fallback>,
): Setting<Schema, Fallback> {
  return { unit: null, secret: false, repeatable: false, ...definition };
}

/** Picks a table's values from those of all tables. A missing value is the fallback. */
export function valuesIn<Table extends SettingTable>(
  table: Table,
  settings: Readonly<Record<string, unknown>>,
): ValuesOf<Table> {
  const values = Object.fromEntries(
    Object.entries(table).map(([name, { fallback }]) => [name, settings[name] ?? fallback]),
  );
  assert.ok(hasAll(table, values));
  return values;
}

/** Each value comes from its schema or fallback, so only completeness needs a check. */
export const hasAll = <Table extends SettingTable>(
  table: Table,
  values: object,
): values is ValuesOf<Table> => Object.keys(table).every((name) => Object.hasOwn(values, name));

/** `--port` of `-p,--port`. */
export const longFlag = (setting: Pick<Setting, 'flag' | 'variable'>): string =>
  setting.flag?.split(',').at(-1) ?? setting.variable;

export const text = z.string().min(1, { error: 'must not be empty' });

export function wholeNumber(range: Readonly<{ from: number; to: number }>) {
  const error = `must be a whole number from ${range.from} to ${range.to}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(range.from, { error }).max(range.to, { error }));
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** The flag without a value means true. */
export const onOrOff = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((word) => word === 'true');

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .transform((url) => url.replace(/\/+$/, ''));

export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, { error: 'must be a postgres:// address' });

export const oneServerUrl = postgresUrl.refine(
  (url) => !/^\w+:\/\/(?:[^@/?]*@)?[^/?]*,|[?&]host=[^&]*(?:,|%2C)/i.test(url),
  { error: 'must name one server; only --database-url may name several' },
);

export const list = z.string().transform((value): readonly string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

export const logFilter = z.string().superRefine((value, context) => {
  const read = readLogFilter(value);
  if (isRefusal(read)) context.addIssue({ code: 'custom', message: read.message });
});

export const hexKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hex digits (`openssl rand -hex 32`)' });
