// Defines a line of a provider's bill, and reads its cells: dates, amounts and counts.

import { scaleDecimal } from '../../lib/decimal.ts';

/** A UTC day, such as 2026-11-23. */
export type Day = string;

export type BillLine = Readonly<{
  day: Day;
  /** Later than `day` if the line covers several days. */
  lastDay: Day;
  /** Null for charges that name no model. */
  model: string | null;
  /** ISO 4217, in upper case. */
  currency: string;
  /** Millionths of micro-units: bills have up to 30 decimal places. */
  picos: bigint;
  /** Null if the line has no count of tokens. */
  tokens: bigint | null;
}>;

/** `place` names the line, such as `line 7`. */
export type BillProblem = Readonly<{ place: string; message: string }>;

export const picoDigits = 12;
const dayMs = 86_400_000;

/** Thousands separators are accepted; a currency sign is not. */
export const readAmount = (text: string): bigint | null =>
  scaleDecimal(
    /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text,
    picoDigits,
  );

/** A date, and optionally a time of the day and a zone. */
const timePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s?(Z|UTC|[+-]\d{2}:\d{2})?$/;

/**
 * Epoch milliseconds of a date, an RFC 3339 time, a time without zone (read as UTC), or Unix
 * seconds. Null if it is none of these.
 */
export function readTime(text: string): number | null {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1_000;
  const [, date = '', time = '00:00:00', zone = 'Z'] = timePattern.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`);
  // A date such as February 30 would be read as a day in March.
  const isReal = date !== '' && dayOf(Date.parse(`${date}T00:00:00Z`)) === date;
  return isReal && !Number.isNaN(at) ? at : null;
}

export const dayOf = (ms: number): Day =>
  Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10);

/** The last day of a period with an exclusive end. */
export const lastDayOf = (startMs: number, endMs: number): Day =>
  dayOf(Math.max(startMs, endMs - 1));

export const nextDay = (day: Day): Day => dayOf(Date.parse(`${day}T00:00:00Z`) + dayMs);
