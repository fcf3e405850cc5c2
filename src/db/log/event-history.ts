// Reads the event log for browsing: lists with filters, and single events with their neighbours.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readRows, text, time } from '../rows.ts';

/** A null or absent condition does not filter. Times are RFC 3339; `to` is exclusive. */
export type EventFilter = Readonly<{
  stream: string | null;
  type: string | null;
  actorId: number | null;
  actorKind?: string | null;
  /** Selects transaction ids. */
  transactions?: SQLQuery | null;
  from: string | null;
  to: string | null;
  /** The last position already read, in the requested order. */
  after: number | null;
  order: 'asc' | 'desc';
  limit: number;
}>;

/**
 * json columns are read as text. `payload` is null after a redaction by the owner; hashes are 64
 * hex digits.
 */
const historyEventRow = z.object({
  position: integer,
  stream: text,
  version: integer,
  event_id: text,
  type: text,
  schema: integer,
  tx_id: text,
  recorded_at: time,
  metadata: text,
  payload: text.nullable(),
  payload_digest: text,
  leaf_hash: text,
  hash: text,
});
export type HistoryEventRow = Readonly<z.output<typeof historyEventRow>>;

const columns = sql`position, stream, version, event_id, type, schema, tx_id, recorded_at,
  metadata::text as metadata, payload::text as payload,
  encode(payload_digest, 'hex') as payload_digest, encode(leaf_hash, 'hex') as leaf_hash,
  encode(hash, 'hex') as hash`;

export const listHistoryEvents = (db: Queryable, filter: EventFilter): Promise<HistoryEventRow[]> =>
  readRows(db, historyEventRow)`
    select ${columns} from es.events
    where (${filter.stream}::text is null or stream = ${filter.stream})
      and (${filter.type}::text is null or type = ${filter.type})
      and (${filter.actorId}::bigint is null
        or (metadata -> 'actor' ->> 'principal_id')::bigint = ${filter.actorId})
      and (${filter.actorKind ?? null}::text is null
        or metadata -> 'actor' ->> 'kind' = ${filter.actorKind ?? null})
      and ${madeBy(filter)}
      and (${filter.from}::timestamptz is null or recorded_at >= ${filter.from}::timestamptz)
      and (${filter.to}::timestamptz is null or recorded_at < ${filter.to}::timestamptz)
      and ${beyond(filter)}
    order by position ${direction(filter)} limit ${filter.limit}`;

const madeBy = ({ transactions = null }: EventFilter): SQLQuery =>
  transactions === null ? sql`true` : sql`tx_id in (${transactions})`;

const beyond = ({ after, order }: EventFilter): SQLQuery =>
  order === 'asc'
    ? sql`(${after}::bigint is null or position > ${after})`
    : sql`(${after}::bigint is null or position < ${after})`;

const direction = ({ order }: EventFilter): SQLQuery => (order === 'asc' ? sql`asc` : sql`desc`);

/** Positions in the same stream; null at its ends. */
const eventNeighbours = z.object({
  previous_hash: text.nullable(),
  previous_in_stream: integer.nullable(),
  next_in_stream: integer.nullable(),
});
export type EventNeighbours = Readonly<z.output<typeof eventNeighbours>>;

const historyEvent = historyEventRow.extend(eventNeighbours.shape);

export const readHistoryEvent = (
  db: Queryable,
  position: number,
): Promise<(HistoryEventRow & EventNeighbours) | null> =>
  readRow(db, historyEvent)`
    select ${columns},
      (select encode(before.hash, 'hex') from es.events before
        where before.position = held.position - 1) as previous_hash,
      (select before.position from es.events before
        where before.stream = held.stream and before.version = held.version - 1)
        as previous_in_stream,
      (select later.position from es.events later
        where later.stream = held.stream and later.version = held.version + 1)
        as next_in_stream
    from es.events held where position = ${position}`;

/** `position` and `recorded_at` are those of the last event. */
const streamRow = z.object({
  stream: text,
  events: integer,
  position: integer,
  recorded_at: time,
});
export type StreamRow = Readonly<z.output<typeof streamRow>>;

type StreamFilter = Readonly<{
  /** A case-insensitive substring of the name; null matches every stream. */
  part: string | null;
  /** The last stream already read. */
  after: string | null;
  limit: number;
}>;

/**
 * Sorted by name. Jumps through the index from one name to the next instead of reading all events.
 */
export const listStreams = (
  db: Queryable,
  { part, after, limit }: StreamFilter,
): Promise<StreamRow[]> =>
  readRows(db, streamRow)`
    with recursive walk as (
      (select stream from es.events where ${after}::text is null or stream > ${after}
        order by stream limit 1)
      union all
      select (select later.stream from es.events later where later.stream > walk.stream
        order by later.stream limit 1)
      from walk where walk.stream is not null
    ), found as (
      -- In the order of the walk, which goes no further than the last of them.
      select stream from walk
      where stream is not null
        and (${part}::text is null or position(lower(${part}) in lower(stream)) > 0)
      limit ${limit}
    )
    select found.stream, newest.version as events, newest.position, newest.recorded_at
    from found cross join lateral (
      select version, position, recorded_at from es.events
      where events.stream = found.stream order by version desc limit 1) newest
    order by found.stream`;

const lastEvent = z.object({ stream: text, payload: text.nullable() });

/**
 * The last event of these types in each stream that has one. `payload` is null after a redaction.
 */
export const readLastEvents = (
  db: Queryable,
  streams: readonly string[],
  types: readonly string[],
) =>
  readRows(db, lastEvent)`
    select asked.stream, last.payload
    from unnest(${[...streams]}::text[]) as asked (stream)
    cross join lateral (
      select payload::text as payload from es.events
      where events.stream = asked.stream and type = any(${[...types]}::text[])
      order by version desc limit 1) last`;
