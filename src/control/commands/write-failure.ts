// Finds out why the database accepts no changes, for /readyz and for the log.

import { databaseFailure, sqlStateOf } from '../../db/failure.ts';
import type { DatabaseFailure } from '../../db/failure.ts';
import type { Database } from '../../db/pool.ts';
import { isReadOnly, probeDisk } from '../../db/writable.ts';
import type { PlaneMeasures } from '../fleet/plane-measures.ts';

const readOnlyState = '25006';
const diskFullState = '53100';

const failureOf = (code: string): DatabaseFailure | null =>
  databaseFailure(Object.assign(new Error(code), { code }));

/**
 * A probe writes a few megabytes, so it runs at most once a second, even if /readyz is called more
 * often.
 */
const probeMs = 1000;

type Dependencies = Readonly<{ db: Database; measures: PlaneMeasures; monotonic: () => number }>;

/**
 * Null if no obstacle is known. A full disk is detected when a statement fails because of it. From
 * then on, probes run until there is space. Throws if the database is unreachable.
 */
export async function findWriteFailure({
  db,
  measures,
  monotonic,
}: Dependencies): Promise<DatabaseFailure | null> {
  if (await isReadOnly(db)) return failureOf(readOnlyState);
  const { diskFull } = measures;
  if (diskFull === null) return null;
  if (monotonic() - diskFull.probedAt < probeMs) return failureOf(diskFullState);
  diskFull.probedAt = monotonic();
  try {
    await probeDisk(db);
  } catch (error) {
    if (sqlStateOf(error) !== diskFullState) throw error;
    return failureOf(diskFullState);
  }
  measures.diskFull = null;
  return null;
}

const noticeMs = 60_000;

type Noting = Readonly<{
  measures: PlaneMeasures;
  monotonic: () => number;
  onFailure: (what: string, error: unknown) => void;
}>;

/**
 * Counts all failed statements. Reports each SQLSTATE that causes 503 responses at most once a
 * minute.
 */
export function createStatementFailures({ measures, monotonic, onFailure }: Noting) {
  const reportedAt = new Map<string, number>();
  return (pool: keyof PlaneMeasures['pools'], error: unknown): void => {
    const state = sqlStateOf(error);
    const { errors } = measures.pools[pool];
    const stateClass = state?.slice(0, 2) ?? 'none';
    errors.set(stateClass, (errors.get(stateClass) ?? 0) + 1);
    if (state === null || databaseFailure(error) === null) return;
    if (state === diskFullState) measures.diskFull ??= { probedAt: -Infinity };
    const now = monotonic();
    if (now - (reportedAt.get(state) ?? -Infinity) < noticeMs) return;
    reportedAt.set(state, now);
    onFailure(
      `running a statement in pool ${pool} (SQLSTATE ${state}; reported once a minute)`,
      error,
    );
  };
}
