// Stores the last report of each replica (specification, "Fleet report") in the database, so that
// every control plane shows the same fleet. A replica that is silent for 30 seconds is gone.

import {
  countMembers,
  deleteSilent,
  holdReplica,
  listMembers,
  readMember,
  writeMember,
} from '../../db/fleet.ts';
import type { FleetSize, MemberRow } from '../../db/fleet.ts';
import type { Database } from '../../db/pool.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { healthReport } from '../../snapshot/health-report.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import type { NotifyIn } from '../webhooks/notify.ts';
import { isLate, transitionsBetween } from './fleet-transitions.ts';

export type FleetRow = HealthReport &
  Readonly<{
    /** RFC 3339. The second is the time of the first report with this snapshot version. */
    reported_at: string;
    snapshot_since: string;
    age_seconds: number;
  }>;

export type Fleet = Readonly<{
  /** Refuses if there is no capacity for another replica. Rejects if the database fails. */
  take: (report: HealthReport) => Promise<Refusal | null>;
  rows: () => Promise<readonly FleetRow[]>;
  /** Counts the fleet, and deletes the reports of silent replicas. */
  measure: () => Promise<FleetSize>;
  /** The last measurement. */
  measured: () => FleetSize;
}>;

export const silentMs = 30_000;
/** The second is the sum over all reports. Concurrent first reports can exceed them. */
const replicasMax = 1_000;
const backendsMax = 200_000;

type Dependencies = Readonly<{
  db: Database;
  notifyIn: NotifyIn;
  /** For tests. */
  bounds?: Readonly<{ replicas: number; backends: number }>;
}>;

export function createFleet({ db, notifyIn, ...dependencies }: Dependencies): Fleet {
  const bounds = dependencies.bounds ?? { replicas: replicasMax, backends: backendsMax };
  let measured: FleetSize = { replicas: 0, backends: 0, affected: 0 };
  return {
    // In one transaction, so that each transition is notified exactly once, by whichever control
    // plane gets the report.
    take: (report) =>
      db.tx(async (tx) => {
        const { replica } = report;
        await holdReplica(tx, replica);
        const stored = await readMember(tx, { replica, silentMs });
        const before = stored === null ? null : healthReport.parse(stored);
        if (before !== null && isLate(before, report)) return null;
        const others = await countMembers(tx, { except: replica, silentMs });
        const backends = report.backends.length;
        const isFull = others.backends + backends > bounds.backends;
        if (others.replicas >= bounds.replicas || isFull) {
          const message = `the limit of ${bounds.replicas} replicas or ${bounds.backends} backends is reached`;
          return refuse('too_many', message, { retryAfterSeconds: silentMs / 1000 });
        }
        const unhealthy = report.backends.filter(({ healthy }) => !healthy).length;
        await writeMember(tx, { replica, report, backends, unhealthy, isNew: before === null });
        const transitions = transitionsBetween(before, report);
        if (transitions.length > 0) await notifyIn(tx, transitions);
        return null;
      }),
    rows: async () => (await listMembers(db, silentMs)).map(rowOf),
    measure: async () => {
      await deleteSilent(db, silentMs);
      return (measured = await countMembers(db, { except: null, silentMs }));
    },
    measured: () => measured,
  };
}

const rowOf = ({ report, reportedAt, snapshotSince, ageSeconds }: MemberRow): FleetRow => ({
  ...healthReport.parse(report),
  reported_at: reportedAt.toISOString(),
  snapshot_since: snapshotSince.toISOString(),
  age_seconds: ageSeconds,
});
