// The history as it grows: every event behind a position in the order of the log, page by page, without an end. One page is held,
// and the next is read when that one was taken: whoever takes slowly is behind, and costs no memory.

import type { Queryable } from '@databases/pg';

import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { historyEvents } from '../../src/control/history/events.ts';
import type { HistoryEvent } from '../../projections/history-event.ts';

type Following = Readonly<{
  /** The last position that is held already; 0 is none. */
  after: number;
  /** Asked before each read; an answer of false ends it. */
  mayGoOn: () => Promise<boolean> | boolean;
  /** Waits until there may be more than `after`, or until it is time for a sign of life. */
  news: (after: number) => Promise<void>;
}>;

const pageEvents = 100;

/** A page without events says that all there is was given; it waits for news behind it. */
export async function* followHistory(
  db: Queryable,
  { after, mayGoOn, news }: Following,
): AsyncGenerator<readonly HistoryEvent[], void, undefined> {
  let last = after;
  while (await mayGoOn()) {
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
    yield page;
    last = page.at(-1)?.position ?? last;
    if (page.length === 0) await news(last);
  }
}

/** What is held beyond the head is of another log, or of a copy of this one that lacks its end. */
export const refuseBeyond = (
  head: number,
  { after, param }: Readonly<{ after: number; param: string }>,
): Refusal | null =>
  after <= head
    ? null
    : refuse('absent', `${param}: the log ends at position ${head}, was ${after}`, { param });
