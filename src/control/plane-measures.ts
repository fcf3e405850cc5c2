// What a control process measures of its own work, in plain fields that somebody's scrape reads.

import { openDatabase } from '../db/pool.ts';
import type { Database, PoolLoad } from '../db/pool.ts';
import { newDurations, observe } from '../telemetry/histogram.ts';
import type { Durations } from '../telemetry/histogram.ts';
import { createHeads } from './heads.ts';

export type PlaneMeasures = {
  /** Where the log was last seen to end. */
  head: number;
  /** When this process had last published all of the log, on the monotonic clock. */
  currentAt: number;
  readonly appends: Durations;
  readonly builds: Durations;
  readonly pools: Readonly<Record<'commands' | 'reports', MeasuredPool>>;
};

type MeasuredPool = PoolLoad & Readonly<{ connectionsMax: number }>;

/** Reports are few. */
const reportsConnectionsMax = 2;

const pool = (connectionsMax: number): MeasuredPool => ({
  connections: 0,
  queries: 0,
  connectionsMax,
});

export const newPlaneMeasures = (connectionsMax: number): PlaneMeasures => ({
  head: 0,
  currentAt: performance.now(),
  appends: newDurations(),
  builds: newDurations(),
  pools: { commands: pool(connectionsMax), reports: pool(reportsConnectionsMax) },
});

type Place = Readonly<{ url: string; applicationName: string; schema: string }>;

/** The pools of a plane, measured from their first connection. */
export function openMeasuredPools(place: Place, { pools }: PlaneMeasures) {
  const open = (purpose: keyof typeof pools): Database => {
    const load = pools[purpose];
    return openDatabase({ ...place, purpose, connectionsMax: load.connectionsMax, load });
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
