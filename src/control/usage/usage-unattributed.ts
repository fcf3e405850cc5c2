// Ingests the counts of unattributed refusals from proxies: 401s, and 404s of unknown models
// (specification, "Usage event").

import type { Database } from '../../db/pool.ts';
import { addUnattributed } from '../../db/usage/usage-unattributed.ts';
import type { UnattributedCounts } from '../../db/usage/usage-unattributed.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * Counters since the start of the replica, integers from 0. The increase since its last report
 * counts for the current minute.
 */
export type RecordUnattributed = (replica: string, counters: UnattributedCounts) => Promise<void>;

export const createRecordUnattributed =
  ({ db, clock }: Readonly<{ db: Database; clock: Clock }>): RecordUnattributed =>
  (replica, counters) =>
    addUnattributed(db, { replica, at: new Date(clock()), ...counters });
