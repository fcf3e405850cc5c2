// Follows the history: yields every event after a position in log order, page by page. Reads the
// next page once the previous one was consumed, so a slow reader costs no memory.

import type { Queryable } from '@databases/pg';

import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { historyEvents } from '../../src/control/history/events.ts';
import type { HistoryEvent } from '../../projections/history-event.ts';

type Following = Readonly<{
  /** The last position that the reader has; 0 for none. */
  after: number;
  /** Called after each read. False stops, and the events that were read are not yielded. */
  mayGoOn: () => Promise<boolean> | boolean;
  /** Waits for events after `after`, or until the next keep-alive is due. */
  news: (after: number) => Promise<void>;
}>;

const pageEvents = 100;

/** A page without events means that the reader is up to date. */
export async function* followHistory(
  db: Queryable,
  { after, mayGoOn, news }: Following,
): AsyncGenerator<readonly HistoryEvent[], void, undefined> {
  let last = after;
  for (;;) {
    const page = await historyEvents(db, {
      stream: null,
      type: null,
      actorId: null,
      from: null,
      to: null,
      after: last,
      order: 'asc',
      limit: pageEvents,
    });
    // Checked after reading, so that a reader never gets the event that ended its permission.
    if (!(await mayGoOn())) return;
    yield page;
    last = page.at(-1)?.position ?? last;
    if (page.length === 0) await news(last);
  }
}

/**
 * A position beyond the head belongs to another log, or to a copy of this log that is missing its
 * end.
 */
export const refuseBeyond = (
  head: number,
  { after, param }: Readonly<{ after: number; param: string }>,
): Refusal | null =>
  after <= head
    ? null
    : refuse('absent', `${param}: the log ends at position ${head}, was ${after}`, { param });
