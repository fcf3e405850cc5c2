// Stores the last report of each replica in memory (specification, "Fleet report"). A replica that
// is silent for 30 seconds is removed. Each control process knows only the replicas that report to
// it.

import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { transitionsBetween } from './fleet-transitions.ts';
import type { Transition } from './fleet-transitions.ts';

export type FleetRow = HealthReport &
  Readonly<{
    /** RFC 3339. The second is the time of the first report with this snapshot version. */
    reported_at: string;
    snapshot_since: string;
    age_seconds: number;
  }>;

export type Fleet = Readonly<{
  /** Refuses if there is no capacity for another replica. */
  take: (report: HealthReport) => Refusal | null;
  rows: () => readonly FleetRow[];
}>;

const silentMs = 30_000;
/** Per process. The second is the sum over all reports. */
const replicasMax = 1_000;
const backendsMax = 200_000;

type Replica = Readonly<{ report: HealthReport; atMs: number; clockMs: number; sinceMs: number }>;

type Dependencies = Readonly<{
  clock: Clock;
  monotonic: Clock;
  onTransition: (transition: Transition) => void;
  /** For tests. */
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
