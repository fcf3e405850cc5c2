// Stores which replica serves which snapshot version since when, from the first report of it to any
// control process. Rows are retained for 400 days.

import type { Queryable } from '@databases/pg';

import { insertServed, listServed, pruneServed } from '../../db/snapshots-served.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { oncePerReplica } from './once-per-replica.ts';

/**
 * Never rejects: a health report is accepted even if the database is unreachable. The next report
 * repeats the version.
 */
export type TakeServed = (report: HealthReport) => Promise<void>;

/** The version that a replica without a snapshot reports. */
const none = '0';
const retentionMs = 400 * 24 * 60 * 60 * 1000;
const rowsMax = 2_000_000;
/** Per version. */
const listedMax = 100;

type Dependencies = Readonly<{
  db: Queryable;
  clock: Clock;
  onFailure: (error: unknown) => void;
}>;

export function createTakeServed({ db, clock, onFailure }: Dependencies): TakeServed {
  const take = oncePerReplica(none, onFailure);
  return async ({ replica, snapshot_version: version, log_seen: [seen] }) => {
    const mark = String(version);
    if (mark === none) return;
    const built = seen?.version === version ? seen : null;
    const { position = null, hash = null } = built ?? {};
    const row = { replica, version, position, hash, at: new Date(clock()) };
    await take({ replica, mark, record: () => insertServed(db, row) });
  };
}

/** Deletes rows past their retention or beyond the newest two million. Returns their number. */
export const keepServed = (db: Queryable, clock: Clock): Promise<number> =>
  pruneServed(db, { horizon: new Date(clock() - retentionMs), kept: rowsMax });

export type ServedBy = Readonly<{
  replicas: number;
  /** The first hundred replicas. */
  first: readonly Readonly<{ replica: string; since: string }>[];
}>;

/** By version. Versions that no replica reported are absent. */
export async function servedBy(
  db: Queryable,
  versions: readonly number[],
): Promise<ReadonlyMap<number, ServedBy>> {
  const rows = Map.groupBy(
    await listServed(db, { versions, limit: listedMax }),
    ({ version }) => version,
  );
  return new Map(
    [...rows].map(([version, held]) => [
      version,
      {
        replicas: held[0]?.total ?? 0,
        first: held.map(({ replica, since }) => ({ replica, since: since.toISOString() })),
      },
    ]),
  );
}
