// Events as the history shows them: what is in the log, decoded, with the hashes that prove it. Payloads hold refs into the vault in
// place of secrets and personal data, so nothing is left out.

import type { Queryable } from '@databases/pg';

import { historyEventOf } from '../../../projections/history-event.ts';
import type { HistoryEvent } from '../../../projections/history-event.ts';
import { transactionsOf } from '../../../projections/tables/audit-log.ts';
import { listHistoryEvents, listStreams, readHistoryEvent } from '../../db/log/event-history.ts';
import type { EventFilter, EventNeighbours } from '../../db/log/event-history.ts';
import { readHead } from '../../db/log/event-log.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** `requestId` is of the request that made them; null, or absent, where nothing is asked. */
export type HistoryEventFilter = Omit<EventFilter, 'transactions'> &
  Readonly<{ requestId?: string | null }>;

export async function historyEvents(
  db: Queryable,
  { requestId = null, ...filter }: HistoryEventFilter,
): Promise<HistoryEvent[]> {
  // The log has no index over its requests: ids in no order would cost each append a page of it.
  const transactions = requestId === null ? null : transactionsOf(requestId);
  return (await listHistoryEvents(db, { ...filter, transactions })).map(historyEventOf);
}

/** With what lies before and behind it: in the chain, and in its stream. */
export async function historyEvent(
  db: Queryable,
  position: number,
): Promise<(HistoryEvent & EventNeighbours) | Refusal> {
  const row = await readHistoryEvent(db, position);
  if (row === null) return refuse('absent', `the log holds no position ${position}`);
  const { previous_hash, previous_in_stream, next_in_stream, ...event } = row;
  return { ...historyEventOf(event), previous_hash, previous_in_stream, next_in_stream };
}

export const countEvents = async (db: Queryable): Promise<number> => (await readHead(db)).position;

/** `events` counts the events of the stream; the last one is at `last_position`. */
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
