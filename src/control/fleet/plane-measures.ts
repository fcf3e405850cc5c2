// Collects a control process's measurements of its own work, for metrics.

import { openDatabase } from '../../db/pool.ts';
import type { Database, PoolLoad } from '../../db/pool.ts';
import { createReads } from '../../db/connections/reads.ts';
import type { OpenReads } from '../../db/connections/reads.ts';
import type { ConnectionsRefused } from '../../ingress/bound-connections.ts';
import { newDurations, observe } from '../../telemetry/histogram.ts';
import type { Durations } from '../../telemetry/histogram.ts';
import { createHeads } from '../log/heads.ts';
import { newAllotmentTally } from '../usage/allotment-tally.ts';
import type { AllotmentTally } from '../usage/allotment-tally.ts';

export type PlaneMeasures = {
  head: number;
  /** When this process last published the head of the log, on the monotonic clock. */
  currentAt: number;
  /**
   * When a signed checkpoint last covered all events, on the monotonic clock. Null if nothing is
   * signed.
   */
  signedAt: number | null;
  readonly connectionsRefused: ConnectionsRefused;
  readonly allotments: AllotmentTally;
  readonly appends: Durations;
  readonly builds: Durations;
  readonly pools: Readonly<Record<'commands' | 'reports', MeasuredPool>>;
  /**
   * Null unless a statement failed because the database's disk is full and no probe has succeeded
   * since.
   */
  diskFull: { probedAt: number } | null;
  /** Null if this process archives no usage. */
  archive: ArchiveMeasures | null;
};

export type ArchiveMeasures = Readonly<{
  hours: number;
  bytes: number;
  /** Hours that should be in the archive and are not. */
  pendingHours: number;
  /** Hours that could not be archived or verified. */
  failedHours: number;
  /** Failed runs of this process. */
  failures: number;
  /** False if the settings of this process are not used, because they differ from others. */
  isUsed: boolean;
}>;

/** `errors` counts failed statements by class of SQLSTATE, or `none`. */
type MeasuredPool = PoolLoad & Readonly<{ connectionsMax: number; errors: Map<string, number> }>;

/** Few, because reports are rare. */
const reportsConnectionsMax = 2;

const pool = (connectionsMax: number): MeasuredPool => ({
  connections: 0,
  queries: 0,
  connectionsMax,
  // Classes with alerts start at 0, so that the first error is an increase.
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
  allotments: newAllotmentTally(),
  appends: newDurations(),
  builds: newDurations(),
  pools: { commands: pool(connectionsMax), reports: pool(reportsConnectionsMax) },
  diskFull: null,
  archive: null,
});

type Place = Readonly<{ url: string; applicationName: string; schema: string }>;

/** `readUrl` is the address of a standby for reports, or null. */
type Opening = Readonly<{
  readUrl: string | null;
  onStatementFailed: (pool: keyof PlaneMeasures['pools'], error: unknown) => void;
  onUnfit: (reason: unknown) => void;
}>;

export function openMeasuredPools(
  place: Place,
  { pools }: PlaneMeasures,
  { readUrl, onStatementFailed, onUnfit }: Opening,
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
  const [db, reports] = [open('commands'), open('reports')];
  const { reads, close } = openReads({ ...place, url: readUrl }, { primary: reports, onUnfit });
  const dispose = async (): Promise<void> => {
    await close();
    await Promise.all([db.dispose(), reports.dispose()]);
  };
  return { db, reports, reads, dispose };
}

type Reading = Pick<Parameters<typeof createReads>[0], 'primary' | 'onUnfit'>;

function openReads(
  { url, ...place }: Omit<Place, 'url'> & Readonly<{ url: string | null }>,
  { primary, onUnfit }: Reading,
): OpenReads {
  if (url === null) return { reads: (read) => read(primary), close: async () => {} };
  const standby = openDatabase({
    ...place,
    url,
    purpose: 'reports',
    connectionsMax: reportsConnectionsMax,
  });
  return createReads({ primary, standby, onUnfit });
}

export const measuring = (measures: PlaneMeasures, onCurrent?: () => void) => {
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
