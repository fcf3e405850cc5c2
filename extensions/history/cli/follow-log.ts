// Follows the log of a database, across lost connections.

import { setTimeout as wait } from 'node:timers/promises';

import { followHistory } from '../follow-history.ts';
import type { HistoryEvent } from '../../../projections/history-event.ts';
import { isDatabaseUnavailable } from '../../../src/db/failure.ts';
import type { Database } from '../../../src/db/pool.ts';

type Following = Readonly<{
  db: Database;
  after: number;
  warn: (message: string) => void;
}>;

const pollMs = 1_000;
const news = (): Promise<void> => wait(pollMs);

/**
 * Yields every event after `after` once, until the reader stops. While the database is unavailable
 * it waits, and reports that once.
 */
export async function* followLog({
  db,
  after,
  warn,
}: Following): AsyncGenerator<HistoryEvent, void, undefined> {
  let last = after;
  let isAway = false;
  for (;;) {
    try {
      for await (const page of followHistory(db, { after: last, mayGoOn: () => true, news })) {
        isAway = false;
        for (const event of page) {
          last = event.position;
          yield event;
        }
      }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (!isAway)
        warn(`the database is unavailable; continuing after position ${last} once it is back`);
      isAway = true;
      await news();
    }
  }
}
