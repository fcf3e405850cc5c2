// Follows the log of a database for a program that reads nothing else of it, through lost connections.

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

/** Every event behind `after`, each once, until the reader ends it. While the database is away it waits, and says so once. */
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
      if (!isAway) warn(`the database is away; going on behind position ${last} when it is back`);
      isAway = true;
      await news();
    }
  }
}
