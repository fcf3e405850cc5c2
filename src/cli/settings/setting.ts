// Defines the type of a setting and the value types that several settings share. settings-table.ts lists the settings.

import { z } from 'zod';

import { isRefusal } from '../../lib/refusal.ts';
import { readLogFilter } from '../../telemetry/log-filter.ts';

export type Setting<Schema extends z.ZodType = z.ZodType, Fallback = unknown> = Readonly<{
  /** Null: environment only, because every user of the machine can see flags. */
  flag: string | null;
  variable: string;
  /** Parses the text of a flag or variable. Its messages say what the value must be. */
  schema: Schema;
  fallback: Fallback;
  unit: 'seconds' | 'days' | 'MiB' | 'bytes' | null;
  /** Never shown. `<variable>_FILE` can name a file that holds it. */
  secret: boolean;
  /** The flag can be repeated; the values are joined with commas. */
  repeatable: boolean;
  description: string;
}>;

export type SettingTable = Readonly<Record<string, Setting>>;

/** The values of a table's settings, by name. */
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
