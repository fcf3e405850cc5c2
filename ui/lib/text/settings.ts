// Formats settings, and builds the support bundle.

import { formatNumber } from './format.ts';

type Value = string | number | boolean | readonly string[] | null;
type Setting = Readonly<{ value: Value; unit: string | null; is_secret: boolean; is_set: boolean }>;

/** Secrets show only whether they are set. */
export function settingText({ value, unit, is_secret, is_set }: Setting): string {
  if (is_secret) return is_set ? 'set, not shown' : 'not set';
  if (value === null) return 'not set';
  if (typeof value === 'object') return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (unit === null) return String(value);
  return `${typeof value === 'number' ? formatNumber(value) : value} ${unit}`;
}

export const sourceNames: Readonly<Record<string, string>> = {
  flag: 'flag',
  env: 'environment',
  file: 'file',
  default: 'default',
};

type Answers = Readonly<Record<string, unknown>>;

/** Contains what the server returns to any reader, so no secrets. */
export const supportBundle = (answers: Answers, at: Date): string =>
  `${JSON.stringify({ made_at: at.toISOString(), ...answers }, null, 2)}\n`;
