// Stores the counts of unattributed refusals from health reports when they change.

import type { HealthReport } from '../../snapshot/health-report.ts';
import { oncePerReplica } from './once-per-replica.ts';
import type { RecordUnattributed } from '../usage/usage-unattributed.ts';

/**
 * Never rejects: a health report is accepted even if the database is unreachable. The next report
 * has the same or higher counts.
 */
export type TakeRefusals = (report: HealthReport) => Promise<void>;

type Dependencies = Readonly<{
  record: RecordUnattributed;
  onFailure: (error: unknown) => void;
}>;

export function createTakeRefusals({ record, onFailure }: Dependencies): TakeRefusals {
  const take = oncePerReplica('0 0', onFailure);
  return ({ replica, process }) => {
    const unauthenticated = process.rejected_unauthenticated;
    const modelNotFound = process.rejected_model_not_found;
    return take({
      replica,
      mark: `${unauthenticated} ${modelNotFound}`,
      record: () => record(replica, { unauthenticated, modelNotFound }),
    });
  };
}
