// Takes in what proxies count of refusals that are nobody's: 401s, and 404s of unknown models (specification, "Usage event").

import type { Database } from '../../db/pool.ts';
import { addUnattributed } from '../../db/usage/usage-unattributed.ts';
import type { UnattributedCounts } from '../../db/usage/usage-unattributed.ts';
import type { Clock } from '../../lib/clock.ts';

/** Counters since the start of the replica, each a whole number from 0; what is new since its last report counts in this minute. */
export type RecordUnattributed = (replica: string, counters: UnattributedCounts) => Promise<void>;

export const createRecordUnattributed =
  ({ db, clock }: Readonly<{ db: Database; clock: Clock }>): RecordUnattributed =>
  (replica, counters) =>
    addUnattributed(db, { replica, at: new Date(clock()), ...counters });
