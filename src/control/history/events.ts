// Reads decoded events for the history, with the hashes that prove them. They are shown completely,
// because payloads contain only refs in place of secrets and personal data.

import type { Queryable } from '@databases/pg';

import { historyEventOf } from '../../../projections/history-event.ts';
import type { HistoryEvent } from '../../../projections/history-event.ts';
import { transactionsOf } from '../../../projections/tables/audit-log.ts';
import { listHistoryEvents, listStreams, readHistoryEvent } from '../../db/log/event-history.ts';
import type { EventFilter, EventNeighbours } from '../../db/log/event-history.ts';
import { readHead } from '../../db/log/event-log.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** `requestId` selects the events of one request. */
export type HistoryEventFilter = Omit<EventFilter, 'transactions'> &
  Readonly<{ requestId?: string | null }>;

export async function historyEvents(
  db: Queryable,
  { requestId = null, ...filter }: HistoryEventFilter,
): Promise<HistoryEvent[]> {
  // Not an SQL condition, because the log has no index over requests: random ids would cost each
  // append a page write.
  const transactions = requestId === null ? null : transactionsOf(requestId);
  return (await listHistoryEvents(db, { ...filter, transactions })).map(historyEventOf);
}

/** With its neighbours in the chain and in its stream. */
export async function historyEvent(
  db: Queryable,
  position: number,
): Promise<(HistoryEvent & EventNeighbours) | Refusal> {
  const row = await readHistoryEvent(db, position);
  if (row === null) return refuse('absent', `the log has no position ${position}`);
  const { previous_hash, previous_in_stream, next_in_stream, ...event } = row;
  return { ...historyEventOf(event), previous_hash, previous_in_stream, next_in_stream };
}

export const countEvents = async (db: Queryable): Promise<number> => (await readHead(db)).position;

export type HistoryStream = Readonly<{
  stream: string;
  events: number;
  last_position: number;
  last_at: string;
}>;

export async function historyStreams(
  db: Queryable,
  filter: Parameters<typeof listStreams>[1],
): Promise<HistoryStream[]> {
  const rows = await listStreams(db, filter);
  return rows.map(({ stream, events, position, recorded_at }) => ({
    stream,
    events,
    last_position: position,
    last_at: recorded_at.toISOString(),
  }));
}
