// Bounds the usage rows: creates months ahead, rolls up rows past their retention by the hour and
// drops empty months. Any replica can run it, one at a time.

import { strayBudgets } from '../../db/usage/budget-usage.ts';
import type { Database } from '../../db/pool.ts';
import { dropEmptyMonths, foldUsage, makeMonths } from '../../db/usage/usage-rollups.ts';
import { moveHorizon } from '../../db/usage/sums/horizons.ts';
import { foldUnattributed } from '../../db/usage/usage-unattributed.ts';
import type { Clock } from '../../lib/clock.ts';

export const retentionDaysDefault = 90;

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/**
 * The minimum retention of a row that arrived late: within it, a proxy may retransmit what it is
 * unsure of.
 */
const settleMs = dayMs;
/** A process that counted nothing for this long has stopped. */
const forgottenMs = 400 * dayMs;
/** The current month and this many following ones. */
const monthsAhead = 2;
/** Rows per statement and statements per run. The rest waits for the next run. */
const foldedMax = 20_000;
const foldsMax = 100;

export type UsageUpkeep = Readonly<{
  run: () => Promise<void>;
  /**
   * Budgets whose counter differed from the sum of their usage at the last run. Null if that could
   * not be checked.
   */
  budgetDrift: () => number | null;
}>;

type Dependencies = Readonly<{
  /** Statements may take seconds. */
  db: Database;
  clock: Clock;
  retentionDays: number;
  onFailure: (what: string, error: unknown) => void;
}>;

export function createUsageUpkeep(dependencies: Dependencies): UsageUpkeep {
  const { db, clock, retentionDays, onFailure } = dependencies;
  let drift: number | null = null;
  return {
    run: async () => {
      const now = clock();
      await makeMonths(db, monthsFrom(now));
      const horizon = new Date(Math.floor((now - retentionDays * dayMs) / hourMs) * hourMs);
      // Before rows are deleted, reports stop reading them.
      await moveHorizon(db, 'rows_from', new Date(horizon.getTime() + hourMs));
      await foldAll(db, { horizon, settled: new Date(now - settleMs) });
      await foldUnattributed(db, { horizon, forgotten: new Date(now - forgottenMs) });
      await dropEmptyMonths(db, horizon);
      const before = drift;
      drift = null;
      const stray = await strayBudgets(db);
      if (stray.length > 0 && stray.length !== before) {
        const ids = stray.map((one) => one.principal_id).join(', ');
        onFailure(
          'checking budgets',
          new Error(`the counters of these principals differ from the sum of their usage: ${ids}`),
        );
      }
      drift = stray.length;
    },
    budgetDrift: () => drift,
  };
}

async function foldAll(
  db: Database,
  until: Readonly<{ horizon: Date; settled: Date }>,
): Promise<void> {
  for (let folds = 0; folds < foldsMax; folds++) {
    const rows = await foldUsage(db, { ...until, limit: foldedMax });
    if (rows === null || rows < foldedMax) return;
  }
}

function monthsFrom(now: number): readonly Date[] {
  const first = new Date(now);
  return Array.from(
    { length: monthsAhead + 1 },
    (_value, month) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month)),
  );
}
