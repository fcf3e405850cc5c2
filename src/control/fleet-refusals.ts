// Passes on what health reports count of refusals that are nobody's, when it has changed: most reports cost the database nothing.

import type { HealthReport } from '../snapshot/health-report.ts';
import type { RecordUnattributed } from './usage-unattributed.ts';

/** Never rejects: a health report is taken whether or not the database is there, and the next one says the same and more. */
export type TakeRefusals = (report: HealthReport) => Promise<void>;

/** The oldest is forgotten, and then recorded once more, which adds nothing. */
const replicasMax = 1_000;

type Dependencies = Readonly<{
  record: RecordUnattributed;
  onFailure: (error: unknown) => void;
}>;

export function createTakeRefusals({ record, onFailure }: Dependencies): TakeRefusals {
  const recorded = new Map<string, string>([]);
  let isFailing = false;
  return async ({ replica, process }) => {
    const unauthenticated = process.rejected_unauthenticated;
    const modelNotFound = process.rejected_model_not_found;
    const mark = `${unauthenticated} ${modelNotFound}`;
    if ((recorded.get(replica) ?? '0 0') === mark) return;
    try {
      await record(replica, { unauthenticated, modelNotFound });
      recorded.delete(replica);
      recorded.set(replica, mark);
      const [oldest] = recorded.keys();
      if (recorded.size > replicasMax && oldest !== undefined) recorded.delete(oldest);
      isFailing = false;
    } catch (error) {
      // Said once, not with every report, while the database is away.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
}
