// Divides a time range into pieces that are read from sums by month, day, hour and minute, and from rows at the ends.

/** Epoch milliseconds, half open. An infinite end sets no bound. */
export type TimeRange = Readonly<{ from: number; to: number }>;

const coarserFirst = ['month', 'day', 'hour', 'minute', 'row'] as const;
export type Precision = (typeof coarserFirst)[number];

export type Piece = TimeRange & Readonly<{ precision: Precision }>;

export type Division = Readonly<{
  /** The coarsest sums that may be used. */
  coarsest: Precision;
  /** There are no sums of earlier minutes. The start of an hour. */
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

/** The sums into which those of a precision are added. */
export const finerThan = (precision: Precision): readonly Precision[] =>
  coarserFirst.slice(coarserFirst.indexOf(precision) + 1);

function divide({ from, to }: TimeRange, division: Division): Piece[] {
  if (from >= to) return [];
  const { coarsest, minutesFrom } = division;
  if (coarsest === 'row') return [{ precision: 'row', from, to }];
  const finer = { ...division, coarsest: finerThan(coarsest)[0] ?? 'row' };
  const [start, end] = [endOf(coarsest, from), startOf(coarsest, to)];
  const isMissing = coarsest === 'minute' && from < minutesFrom;
  if (isMissing || start >= end) return divide({ from, to }, finer);
  return [
    ...divide({ from, to: start }, finer),
    { precision: coarsest, from: start, to: end },
    ...divide({ from: end, to }, finer),
  ];
}

const lengths = { day: 86_400_000, hour: 3_600_000, minute: 60_000 } as const;

/** The last moment at which a period begins, at or before this one. */
function startOf(precision: Exclude<Precision, 'row'>, ms: number): number {
  if (!Number.isFinite(ms)) return ms;
  if (precision !== 'month') return Math.floor(ms / lengths[precision]) * lengths[precision];
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** The first moment at which a period begins, at or after this one. */
function endOf(precision: Exclude<Precision, 'row'>, ms: number): number {
  const start = startOf(precision, ms);
  if (start === ms) return ms;
  if (precision !== 'month') return start + lengths[precision];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
