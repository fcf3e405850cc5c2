// What a control process measures of its own work, in plain fields that somebody's scrape reads.

import { openDatabase } from '../../db/pool.ts';
import type { Database, PoolLoad } from '../../db/pool.ts';
import type { ConnectionsRefused } from '../../ingress/bound-connections.ts';
import { newDurations, observe } from '../../telemetry/histogram.ts';
import type { Durations } from '../../telemetry/histogram.ts';
import { createHeads } from '../log/heads.ts';

export type PlaneMeasures = {
  /** Where the log was last seen to end. */
  head: number;
  /** When this process had last published all of the log, on the monotonic clock. */
  currentAt: number;
  /** When all events were last known to be covered by a signed checkpoint, on the monotonic clock; null: nothing is signed. */
  signedAt: number | null;
  /** By the admin listener. */
  readonly connectionsRefused: ConnectionsRefused;
  readonly appends: Durations;
  readonly builds: Durations;
  readonly pools: Readonly<Record<'commands' | 'reports', MeasuredPool>>;
  /** Not null from the first statement that found the disk of the database full until a probe of it succeeds. */
  diskFull: { probedAt: number } | null;
};

/** `errors` counts failed statements by the class of their SQLSTATE; `none` is an error without one. */
type MeasuredPool = PoolLoad & Readonly<{ connectionsMax: number; errors: Map<string, number> }>;

/** Reports are few. */
const reportsConnectionsMax = 2;

const pool = (connectionsMax: number): MeasuredPool => ({
  connections: 0,
  queries: 0,
  connectionsMax,
  // Those that an alert is about are shown from the start, so that the first one is an increase.
  errors: new Map([
    ['25', 0],
    ['53', 0],
  ]),
});

export const newPlaneMeasures = (connectionsMax: number): PlaneMeasures => ({
  head: 0,
  currentAt: performance.now(),
  signedAt: null,
  connectionsRefused: { total: 0, address: 0 },
  appends: newDurations(),
  builds: newDurations(),
  pools: { commands: pool(connectionsMax), reports: pool(reportsConnectionsMax) },
  diskFull: null,
});

type Place = Readonly<{ url: string; applicationName: string; schema: string }>;

/** The pools of a plane, measured from their first connection. */
export function openMeasuredPools(
  place: Place,
  { pools }: PlaneMeasures,
  onStatementFailed: (pool: keyof typeof pools, error: unknown) => void,
) {
  const open = (purpose: keyof typeof pools): Database => {
    const load = pools[purpose];
    return openDatabase({
      ...place,
      purpose,
      connectionsMax: load.connectionsMax,
      load,
      onStatementFailed: (error) => onStatementFailed(purpose, error),
    });
  };
  return { db: open('commands'), reports: open('reports') };
}

/** What the parts of a plane are told to call. */
export const noting = (measures: PlaneMeasures, onCurrent?: () => void) => {
  const heads = createHeads();
  return {
    onBuilt: (durationMs: number): void => observe(measures.builds, durationMs),
    onAppended: (durationMs: number): void => observe(measures.appends, durationMs),
    onCurrent: (): void => {
      measures.currentAt = performance.now();
      onCurrent?.();
    },
    onHead: (position: number): void => {
      measures.head = position;
      heads.tell(position);
    },
    heads,
  };
};
