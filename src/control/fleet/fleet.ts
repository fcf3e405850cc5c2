// The fleet: the last report of each replica, in memory alone and never merged (specification, "Fleet report"). A replica that is
// silent for 30 seconds is forgotten. Replicas that report to another control process are not known here.

import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { transitionsBetween } from './fleet-transitions.ts';
import type { Transition } from './fleet-transitions.ts';

export type FleetRow = HealthReport &
  Readonly<{
    /** RFC 3339: when the report came, and when the first one with its snapshot version did. */
    reported_at: string;
    snapshot_since: string;
    /** Since the report came. */
    age_seconds: number;
  }>;

export type Fleet = Readonly<{
  /** Replaces the replica's report before. A refusal when there is no room for another. */
  take: (report: HealthReport) => Refusal | null;
  /** By the name of the replica. */
  rows: () => readonly FleetRow[];
}>;

/** So long a replica counts that does not report any more. */
const silentMs = 30_000;
/** Replicas that report to one process, and backends of all their reports. */
const replicasMax = 1_000;
const backendsMax = 200_000;

type Replica = Readonly<{ report: HealthReport; atMs: number; clockMs: number; sinceMs: number }>;

type Dependencies = Readonly<{
  clock: Clock;
  monotonic: Clock;
  /** Told of what changed between two reports of one replica. */
  onTransition: (transition: Transition) => void;
  /** For tests; the named bounds when absent. */
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
        const message = `no room for another report: ${bounds.replicas} replicas or ${bounds.backends} backends are held`;
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
