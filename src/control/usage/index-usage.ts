// Starts to build the index of usage rows that are not in the sums, if a database from before the sums lacks it.

import type { Database } from '../../db/pool.ts';
import { indexUnsummed, isUnsummedIndexed } from '../../db/usage/sums/unsummed-index.ts';

type Dependencies = Readonly<{
  db: Database;
  /** Opens a pool without a time limit for a statement. */
  openMaintenance: () => Database;
  onFailure: (error: unknown) => void;
}>;

/** Does not wait for the index, which can take an hour. A process that ends leaves the rest to the next one. */
export function createIndexUsage({ db, openMaintenance, onFailure }: Dependencies) {
  let isRunning = false;
  let isComplete = false;
  const build = async (): Promise<void> => {
    const maintenance = openMaintenance();
    try {
      await indexUnsummed(maintenance);
    } finally {
      await maintenance.dispose();
    }
  };
  return async (): Promise<void> => {
    isComplete ||= await isUnsummedIndexed(db);
    if (isRunning || isComplete) return;
    isRunning = true;
    void build()
      .catch(onFailure)
      .finally(() => {
        isRunning = false;
      });
  };
}
