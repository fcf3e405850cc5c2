// Keeps the sums of usage small: adds sums of past periods to coarser ones, adds rows that are not in the sums yet, and
// deletes old minutes. Reports are right without it, but read more. Any replica can run it, one at a time.

import type { Queryable } from '@databases/pg';

import type { Database } from '../../db/pool.ts';
import { sumUnsummed } from '../../db/usage/sums/add-deltas.ts';
import { deleteMinutes, moveHorizon, readHorizons } from '../../db/usage/sums/horizons.ts';
import {
  coarserThan,
  compactSums,
  holdSums,
  mergeDeltas,
  promoteSums,
} from '../../db/usage/sums/merge-sums.ts';
import { isUnsummedIndexed } from '../../db/usage/sums/unsummed-index.ts';
import type { Clock } from '../../lib/clock.ts';
import { startOf } from '../../usage/pieces.ts';
import type { SumPrecision } from '../../usage/pieces.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Series with buckets of at most 15 minutes are at most this long. */
const minutesKeptMs = 8 * dayMs;

/** Deltas are merged when most rows of their minute have arrived. */
const deltaSettledMs = 1.5 * minuteMs;

/** Sums are added to the next coarser ones this long after the coarser period ended. */
const settledMs = {
  minute: 2 * minuteMs,
  five_minutes: 5 * minuteMs,
  hour: 10 * minuteMs,
  six_hours: 30 * minuteMs,
  day: hourMs,
  ten_days: hourMs,
} as const satisfies Readonly<Record<Exclude<SumPrecision, 'month'>, number>>;
const inOrder = ['minute', 'five_minutes', 'hour', 'six_hours', 'day', 'ten_days'] as const;

/**
 * Per statement, so that each ends well within the time limit of reports; a run repeats statements
 * until less is left.
 */
const deltasMax = 10_000;
const sumsMax = 3_000;
const rowsMax = 2_000;
const statementsMax = 1_000;

export type SumUsage = () => Promise<void>;

/** `db` needs no limit of the time of a statement below several seconds. */
export const createSumUsage =
  ({ db, clock }: Readonly<{ db: Database; clock: Clock }>): SumUsage =>
  async () => {
    const now = clock();
    const settled = { before: new Date(now - deltaSettledMs), limit: deltasMax };
    await repeat(() => holdSums(db, (tx) => mergeDeltas(tx, settled)));
    for (const precision of inOrder) {
      await repeat(() => holdSums(db, (tx) => promote(tx, { precision, now })));
    }
    // Last, so that a large number of rows from before the sums does not hold up the merges.
    if (await isUnsummedIndexed(db)) {
      await repeat(() => holdSums(db, (tx) => sumUnsummed(tx, rowsMax)));
    }
    const minutesFrom = new Date(Math.floor((now - minutesKeptMs) / hourMs) * hourMs);
    const { minutes_from: before } = await readHorizons(db);
    if (minutesFrom <= before) return;
    await moveHorizon(db, 'minutes_from', minutesFrom);
    await deleteMinutes(db);
  };

/** Returns the number of sums. Copies become one in the same transaction, so that a stop leaves none. */
async function promote(
  tx: Queryable,
  { precision, now }: Readonly<{ precision: (typeof inOrder)[number]; now: number }>,
): Promise<number> {
  const next = coarserThan(precision);
  const before = new Date(startOf(next, now - settledMs[precision]));
  const { sums, first, last } = await promoteSums(tx, { precision, before, limit: sumsMax });
  if (first === null || last === null) return 0;
  await compactSums(tx, { precision, first, last });
  // No coarser sums follow, with which these would become one.
  if (next === 'month') {
    await compactSums(tx, {
      precision: next,
      first: new Date(startOf(next, first.getTime())),
      last,
    });
  }
  return sums;
}

/** Until nothing is left, or another replica does it. */
async function repeat(work: () => Promise<number | null>): Promise<void> {
  for (let statements = 0; statements < statementsMax; statements++) {
    const done = await work();
    if (done === null || done === 0) return;
  }
}
