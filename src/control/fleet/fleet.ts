// Stores the last report of each replica, in memory and unmerged (specification, "Fleet report"). A
// replica that is silent for 30 seconds is removed. Replicas that report to another control process
// are unknown here.

import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { transitionsBetween } from './fleet-transitions.ts';
import type { Transition } from './fleet-transitions.ts';

export type FleetRow = HealthReport &
  Readonly<{
    /**
     * RFC 3339 times: when the report arrived, and when the first one with its snapshot version
     * did.
     */
    reported_at: string;
    snapshot_since: string;
    /** Milliseconds since the report arrived. */
    age_seconds: number;
  }>;

export type Fleet = Readonly<{
  /**
   * Replaces the previous report of the replica. Refuses if there is no capacity for another
   * replica.
   */
  take: (report: HealthReport) => Refusal | null;
  /** Ordered by the name of the replica. */
  rows: () => readonly FleetRow[];
}>;

/** The time for which a replica counts after its last report. */
const silentMs = 30_000;
/** Limits for one process: replicas, and backends of all reports. */
const replicasMax = 1_000;
const backendsMax = 200_000;

type Replica = Readonly<{ report: HealthReport; atMs: number; clockMs: number; sinceMs: number }>;

type Dependencies = Readonly<{
  clock: Clock;
  monotonic: Clock;
  /** Called with the changes between two reports of one replica. */
  onTransition: (transition: Transition) => void;
  /** For tests. The default is the limits above. */
  bounds?: Readonly<{ replicas: number; backends: number }>;
}>;

export function createFleet(dependencies: Dependencies): Fleet {
  const { clock, monotonic, onTransition } = dependencies;
  const bounds = dependencies.bounds ?? { replicas: replicasMax, backends: backendsMax };
  const replicas = new Map<string, Replica>();

  const forgetSilent = (): void => {
    const nowMs = monotonic();
    for (const [name, { atMs }] of replicas) if (nowMs - atMs >= silentMs) replicas.delete(name);
  };
  const hasRoomFor = ({ replica, backends }: HealthReport): boolean => {
    let others = 0;
    let held = backends.length;
    for (const [name, { report }] of replicas) {
      if (name === replica) continue;
      others += 1;
      held += report.backends.length;
    }
    return others < bounds.replicas && held <= bounds.backends;
  };

  return {
    take: (report) => {
      forgetSilent();
      if (!hasRoomFor(report)) {
        const message = `the limit of ${bounds.replicas} replicas or ${bounds.backends} backends per control process is reached`;
        return refuse('too_many', message, { retryAfterSeconds: silentMs / 1000 });
      }
      const before = replicas.get(report.replica);
      const clockMs = clock();
      const isSameVersion = before?.report.snapshot_version === report.snapshot_version;
      const sinceMs = isSameVersion && before !== undefined ? before.sinceMs : clockMs;
      replicas.set(report.replica, { report, atMs: monotonic(), clockMs, sinceMs });
      for (const one of transitionsBetween(before?.report ?? null, report)) onTransition(one);
      return null;
    },
    rows: () => {
      forgetSilent();
      const nowMs = monotonic();
      return [...replicas.values()]
        .toSorted((a, b) => (a.report.replica < b.report.replica ? -1 : 1))
        .map((replica) => rowOf(replica, nowMs));
    },
  };
}

const rowOf = ({ report, atMs, clockMs, sinceMs }: Replica, nowMs: number): FleetRow => ({
  ...report,
  reported_at: new Date(clockMs).toISOString(),
  snapshot_since: new Date(sinceMs).toISOString(),
  age_seconds: Math.floor((nowMs - atMs) / 1000),
});
