// Events as the history shows them: what is in the log, decoded, with the hashes that prove it. Payloads hold refs into the vault in
// place of secrets and personal data, so nothing is left out.

import type { Queryable } from '@databases/pg';

import { eventMetadata } from '../../../events/event.ts';
import type { EventMetadata } from '../../../events/event.ts';
import { transactionsOf } from '../../../projections/tables/audit-log.ts';
import { listHistoryEvents, readHistoryEvent } from '../../db/event-history.ts';
import type { EventFilter, EventNeighbours, HistoryEventRow } from '../../db/event-history.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** Hashes are 64 hex digits, times RFC 3339. */
export type HistoryEvent = Readonly<{
  position: number;
  stream: string;
  version: number;
  event_id: string;
  type: string;
  schema: number;
  tx_id: string;
  recorded_at: string;
  actor: EventMetadata['actor'];
  command: string;
  action: string;
  target: string;
  request_id: string;
  app_version: string;
  causation?: EventMetadata['causation'];
  /** Its place in the command, from 0, and how many events that made. */
  index: number;
  count: number;
  /** As it was written at this schema; null when its owner has redacted it. */
  data: unknown;
  payload_digest: string;
  leaf_hash: string;
  hash: string;
}>;

/** `requestId` is of the request that made them; null, or absent, where nothing is asked. */
export type HistoryEventFilter = Omit<EventFilter, 'transactions'> &
  Readonly<{ requestId?: string | null }>;

export async function historyEvents(
  db: Queryable,
  { requestId = null, ...filter }: HistoryEventFilter,
): Promise<HistoryEvent[]> {
  // The log has no index over its requests: ids in no order would cost each append a page of it.
  const transactions = requestId === null ? null : transactionsOf(requestId);
  return (await listHistoryEvents(db, { ...filter, transactions })).map(toEvent);
}

/** With what lies before and behind it: in the chain, and in its stream. */
export async function historyEvent(
  db: Queryable,
  position: number,
): Promise<(HistoryEvent & EventNeighbours) | Refusal> {
  const row = await readHistoryEvent(db, position);
  if (row === null) return refuse('absent', `the log holds no position ${position}`);
  const { previous_hash, previous_in_stream, next_in_stream, ...event } = row;
  return { ...toEvent(event), previous_hash, previous_in_stream, next_in_stream };
}

function toEvent({ metadata, payload, recorded_at, ...row }: HistoryEventRow): HistoryEvent {
  const { reason_ref: _ref, ...about } = eventMetadata.parse(JSON.parse(metadata));
  const data: unknown = payload === null ? null : JSON.parse(payload);
  return { ...row, recorded_at: recorded_at.toISOString(), ...about, data };
}
