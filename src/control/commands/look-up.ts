// Finds out whether a mutation was committed after its connection failed.

import { lockLog, readCommand } from '../../db/log/event-log.ts';
import { isDatabaseUnavailable } from '../../db/failure.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';
import type { Database } from '../../db/pool.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ConfigStore } from '../publishing/config-store.ts';
import type { Outcome } from './execute.ts';
import { databaseUnavailable, logForked } from './unavailable.ts';

type Dependencies = Readonly<{ db: Database; store: ConfigStore; clock: Clock }>;

const lookUps = 4;
/** Short, so that the mutation is answered in time. */
const lookUpWaitMs = 400;
export const notMade = 'the change was not made';
const notKnown =
  'it is unknown whether the change was made; check when the database is available again';

/**
 * The connection may have failed during the commit, so this searches the log for the command. It
 * takes the log lock, because the server may still be executing the transaction. The lock writes to
 * the WAL, so this commit waits for synchronous standbys, which then have the command too.
 */
export async function lookUp(
  { db, store, clock }: Dependencies,
  txId: string,
): Promise<Outcome | Refusal> {
  const startedAt = clock();
  for (let attempt = 0; attempt < lookUps && clock() - startedAt < 1000; attempt++) {
    try {
      return await db.tx(async (tx) => {
        const head = await lockLog(tx, lookUpWaitMs);
        const events = await readCommand(tx, txId);
        const last = events.at(-1);
        if (last === undefined) return databaseUnavailable(null, notMade);
        const { state } = await store.catchUp(tx, head);
        return { state, events, version: state.version, position: last.position };
      });
    } catch (error) {
      // The command may be among the events that a failover lost.
      if (error instanceof LogForkedError) return logForked(notKnown);
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }
  return databaseUnavailable(null, notKnown);
}
