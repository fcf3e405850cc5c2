// Keeps the sums of usage small: merges sums of past periods into coarser ones, adds rows that are not in the sums yet,
// and deletes old minutes. Reports are right without it, but read more. Any replica can run it, one at a time.

import type { Database } from '../../db/pool.ts';
import { sumUnsummed } from '../../db/usage/sums/add-deltas.ts';
import { deleteMinutes, moveHorizon, readHorizons } from '../../db/usage/sums/horizons.ts';
import { holdSums, mergeSums } from '../../db/usage/sums/merge-sums.ts';
import type { Merged } from '../../db/usage/sums/merge-sums.ts';
import { isUnsummedIndexed } from '../../db/usage/sums/unsummed-index.ts';
import type { Clock } from '../../lib/clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Series with buckets of at most 15 minutes are at most this long. */
const minutesKeptMs = 8 * dayMs;

/** Sums of periods that began this long ago are merged, when most of their rows have arrived. */
const settledMs: Readonly<Record<Merged, number>> = {
  delta: 1.5 * minuteMs,
  hour: hourMs + 5 * minuteMs,
  day: dayMs + hourMs,
  month: 32 * dayMs,
};
const inOrder = ['delta', 'hour', 'day', 'month'] as const satisfies readonly Merged[];

/**
 * Per statement, so that each ends well within the time limit of reports; a run repeats statements
 * until less is left.
 */
const mergedMax = 2_000;
const statementsMax = 1_000;

export type SumUsage = () => Promise<void>;

/** `db` needs no limit of the time of a statement below several seconds. */
export const createSumUsage =
  ({ db, clock }: Readonly<{ db: Database; clock: Clock }>): SumUsage =>
  async () => {
    const now = clock();
    for (const precision of inOrder) {
      const before = new Date(now - settledMs[precision]);
      await repeat(() =>
        holdSums(db, (tx) => mergeSums(tx, { precision, before, limit: mergedMax })),
      );
    }
    // Last, so that a large number of rows from before the sums does not hold up the merges.
    if (await isUnsummedIndexed(db)) {
      await repeat(() => holdSums(db, (tx) => sumUnsummed(tx, mergedMax)));
    }
    const minutesFrom = new Date(Math.floor((now - minutesKeptMs) / hourMs) * hourMs);
    const { minutes_from: before } = await readHorizons(db);
    if (minutesFrom <= before) return;
    await moveHorizon(db, 'minutes_from', minutesFrom);
    await deleteMinutes(db);
  };

/** Until nothing is left, or another replica does it. */
async function repeat(work: () => Promise<number | null>): Promise<void> {
  for (let statements = 0; statements < statementsMax; statements++) {
    const done = await work();
    if (done === null || done === 0) return;
  }
}
