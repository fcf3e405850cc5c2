// Records which replica serves which snapshot version since when: a row when a replica first reports a version, whichever control process
// it reports to. Rows are kept for a while, for whoever asks what was in force where.

import type { Queryable } from '@databases/pg';

import { insertServed, listServed, pruneServed } from '../../db/snapshots-served.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { oncePerReplica } from './once-per-replica.ts';

/** Never rejects: a health report is taken whether or not the database is there, and the next one says the same. */
export type TakeServed = (report: HealthReport) => Promise<void>;

/** A replica that has no snapshot yet reports this version. */
const none = '0';
const retentionMs = 400 * 24 * 60 * 60 * 1000;
const rowsMax = 2_000_000;
/** Replicas of a version that are listed. */
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

/** Answers how many rows were past their retention, or beyond the newest two million. */
export const keepServed = (db: Queryable, clock: Clock): Promise<number> =>
  pruneServed(db, { horizon: new Date(clock() - retentionMs), kept: rowsMax });

export type ServedBy = Readonly<{
  /** How many replicas served the version. */
  replicas: number;
  /** The first hundred of them. */
  first: readonly Readonly<{ replica: string; since: string }>[];
}>;

/** By version; those that no replica reported are not in it. */
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
