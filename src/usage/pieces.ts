// Divides a time range into pieces that are read from sums of months down to minutes, and from rows at the ends.

/** Epoch milliseconds, half open. An infinite end sets no bound. */
export type TimeRange = Readonly<{ from: number; to: number }>;

/** The precisions of sums. Each period is in one period of the next coarser precision. */
export const sumPrecisions = [
  'month',
  'ten_days',
  'day',
  'six_hours',
  'hour',
  'five_minutes',
  'minute',
] as const;
export type SumPrecision = (typeof sumPrecisions)[number];

export type Precision = SumPrecision | 'row';

export type Piece = TimeRange & Readonly<{ precision: Precision }>;

export type Division = Readonly<{
  /** The coarsest sums that may be used. */
  coarsest: Precision;
  /** There are no sums of earlier periods below an hour. The start of an hour. */
  minutesFrom: number;
  /** There are no earlier rows, only their hours. The start of an hour. */
  rowsFrom: number;
}>;

/**
 * Without rows, an hour belongs to the range in which it begins, so that adjacent ranges count each
 * request once.
 */
export function piecesOf({ from, to }: TimeRange, division: Division): Piece[] {
  const { rowsFrom } = division;
  const whole = (ms: number): number => (ms < rowsFrom ? endOf('hour', ms) : ms);
  return divide({ from: whole(from), to: whole(to) }, division);
}

export const finerThan = (precision: SumPrecision): readonly SumPrecision[] =>
  sumPrecisions.slice(sumPrecisions.indexOf(precision) + 1);

/** The smallest range that has all of these pieces. Null if there are none. */
export function spanOf(pieces: readonly Piece[]): TimeRange | null {
  const [first, last] = [pieces[0], pieces.at(-1)];
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to };
}

function divide({ from, to }: TimeRange, division: Division): Piece[] {
  if (from >= to) return [];
  const { coarsest, minutesFrom } = division;
  if (coarsest === 'row') return [{ precision: 'row', from, to }];
  const finer: Division = { ...division, coarsest: finerThan(coarsest)[0] ?? 'row' };
  const [start, end] = [endOf(coarsest, from), startOf(coarsest, to)];
  const isMissing = isBelowHour(coarsest) && from < minutesFrom;
  if (isMissing || start >= end) return divide({ from, to }, finer);
  return [
    ...divide({ from, to: start }, finer),
    { precision: coarsest, from: start, to: end },
    ...divide({ from: end, to }, finer),
  ];
}

export const isBelowHour = (precision: SumPrecision): boolean =>
  finerThan('hour').includes(precision);

const lengths = {
  day: 86_400_000,
  six_hours: 21_600_000,
  hour: 3_600_000,
  five_minutes: 300_000,
  minute: 60_000,
} as const;
const fixed = ['day', 'six_hours', 'hour', 'five_minutes', 'minute'] as const;

/** The coarsest precision whose periods are each within one bucket. Buckets are aligned to the epoch. */
export const coarsestIn = (widthMs: number): Precision =>
  fixed.find((precision) => widthMs % lengths[precision] === 0) ?? 'row';

/** The days of a month with which a period of ten days begins. The last one ends with the month. */
const tenthDays = [1, 11, 21];

/** The last moment at which a period begins, at or before this one. */
export function startOf(precision: SumPrecision, ms: number): number {
  if (!Number.isFinite(ms)) return ms;
  if (precision !== 'month' && precision !== 'ten_days')
    return Math.floor(ms / lengths[precision]) * lengths[precision];
  const date = new Date(ms);
  const isBegun = (day: number): boolean => day <= date.getUTCDate();
  const first = precision === 'month' ? 1 : tenthDays.findLast(isBegun);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), first);
}

/** The first moment at which a period begins, at or after this one. */
function endOf(precision: SumPrecision, ms: number): number {
  const start = startOf(precision, ms);
  if (start === ms) return ms;
  if (precision !== 'month' && precision !== 'ten_days') return start + lengths[precision];
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const next = tenthDays.find((day) => precision === 'ten_days' && day > date.getUTCDate());
  return next === undefined ? Date.UTC(year, month + 1) : Date.UTC(year, month, next);
}
