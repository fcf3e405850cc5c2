// Locks, appends to and reads the event log. No other code appends.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery, Transaction } from '@databases/pg';
import { z } from 'zod';

import { readEvent } from '../../../events/catalogue.ts';
import type { FoldedEvent, GwEvent, RecordedEvent } from '../../../events/catalogue.ts';
import { eventMetadata } from '../../../events/event.ts';
import type { EventMetadata } from '../../../events/event.ts';
import { readEnvelope } from '../../../events/hashed-text.ts';
import type { Envelope, HashedText } from '../../../events/hashed-text.ts';
import type { LogHead, SealedEvent } from '../../../events/seal.ts';
import type { RedactedEvents } from '../../lib/redacted-events.ts';
import { LogForkedError } from './log-forked.ts';
import type { LogPlace } from './log-forked.ts';
import { bytes, integer, readRow, readRows, readValue, text, time } from '../rows.ts';

const headRow = z.object({ log_id: text, position: integer, hash: bytes, recorded_at: time });

const toHead = (row: z.output<typeof headRow>): LogHead => ({
  logId: row.log_id,
  position: row.position,
  hash: row.hash,
  recordedAt: row.recorded_at.getTime(),
});

/**
 * Locks the log for this transaction and switches to the program's role, which can insert but not
 * change events. Waits at most `waitMs`, by default the connection's lock timeout, then fails with
 * 55P03. Until the commit, no I/O other than the database's may follow.
 */
export async function lockLog(tx: Transaction, waitMs?: number): Promise<LogHead> {
  await tx.query(
    waitMs === undefined
      ? sql`select set_config('role', 'gw_app', true)`
      : sql`
          select set_config('role', 'gw_app', true),
            set_config('lock_timeout', ${String(Math.ceil(waitMs))}, true)`,
  );
  const row = await readRow(tx, headRow)`select * from es.lock_log()`;
  if (row === null) throw new Error('the event log has no head');
  return toHead(row);
}

export async function readHead(db: Queryable): Promise<LogHead> {
  const row = await readRow(db, headRow)`
    select log_id, position, hash, recorded_at from es.log_head`;
  if (row === null) throw new Error('the event log has no head');
  return toHead(row);
}

const rowCounts = z.array(integer);

/** A command with more events uses several statements in its one transaction. */
const rowsMax = 1000;

/**
 * The database checks positions, digests, chain and time again. `extra` are statements on other
 * tables that run in the same round trip, each returning its rows. Returns the number of rows of
 * each.
 */
export async function appendEvents(
  tx: Transaction,
  events: readonly SealedEvent[],
  extra: readonly SQLQuery[] = [],
): Promise<readonly number[]> {
  const parts = extra.map((statement, at) => sql`${sql.ident(`extra_${at}`)} as (${statement})`);
  const counts = extra.map((_, at) => sql`(select count(*) from ${sql.ident(`extra_${at}`)})`);
  const added = sql`added as (${insertion(events.slice(0, rowsMax))})`;
  const counted = await readValue(tx, rowCounts)`
    with ${sql.join([...parts, added], sql`, `)}
    select array[${sql.join(counts, sql`, `)}]::integer[] as counts`;
  for (let start = rowsMax; start < events.length; start += rowsMax) {
    await tx.query(insertion(events.slice(start, start + rowsMax)));
  }
  return counted ?? [];
}

function insertion(rows: readonly SealedEvent[]): SQLQuery {
  const column = <Value>(read: (event: SealedEvent) => Value): Value[] => rows.map(read);
  return sql`
    insert into es.events (position, stream, version, event_id, type, schema, tx_id, recorded_at,
      metadata, payload, payload_digest, leaf_hash, hash)
    select position, stream, version, event_id, type, schema, tx_id,
      to_timestamp(recorded_at / 1000.0), metadata::json, payload::json,
      decode(payload_digest, 'hex'), decode(leaf_hash, 'hex'), decode(hash, 'hex')
    from unnest(
      ${column((event) => event.position)}::bigint[],
      ${column((event) => event.stream)}::text[],
      ${column((event) => event.version)}::integer[],
      ${column((event) => event.eventId)}::uuid[],
      ${column((event) => event.type)}::text[],
      ${column((event) => event.schema)}::smallint[],
      ${column((event) => event.txId)}::uuid[],
      ${column((event) => event.recordedAt)}::bigint[],
      ${column((event) => event.metadata)}::text[],
      ${column((event) => event.payload)}::text[],
      ${column((event) => hex(event.payloadDigest))}::text[],
      ${column((event) => hex(event.leafHash))}::text[],
      ${column((event) => hex(event.hash))}::text[]
    ) as added (position, stream, version, event_id, type, schema, tx_id, recorded_at, metadata,
      payload, payload_digest, leaf_hash, hash)`;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An event as the log stores it. `payload` is null after a redaction by the owner. */
export type StoredEvent = Omit<SealedEvent, 'payload'> & Readonly<{ payload: string | null }>;

const storedEvent = z.object({
  position: integer,
  stream: text,
  version: integer,
  eventId: text,
  type: text,
  schema: integer,
  txId: text,
  recordedAt: integer,
  metadata: text,
  payload: text.nullable(),
  payloadDigest: bytes,
  leafHash: bytes,
  hash: bytes,
});

type Page = { after: number; limit: number };

/** In log order. json is read as text, because its bytes were hashed. */
export const readStored = (db: Queryable, { after, limit }: Page): Promise<StoredEvent[]> =>
  readRows(db, storedEvent)`
    select position, stream, version, event_id as "eventId", type, schema, tx_id as "txId",
      (extract(epoch from recorded_at) * 1000)::bigint as "recordedAt",
      metadata::text as metadata, payload::text as payload,
      payload_digest as "payloadDigest", leaf_hash as "leafHash", hash
    from es.events where position > ${after} order by position limit ${limit}`;

/** The envelope in the lines of `HashedText`. A null value would omit its line. */
const envelope = sql`concat_ws(E'\n', position, stream, version, event_id, type, schema, tx_id,
  (extract(epoch from recorded_at) * 1000)::bigint)`;

const recordedText = z.object({
  envelope: text,
  metadata: text,
  payload: text.nullable(),
  hash: text,
});
const hashedText = recordedText.extend({ payloadDigest: text, leafHash: text });

/**
 * Returns the texts that were hashed. For many events, this takes half the time of `readStored`.
 */
export const readHashed = (db: Queryable, { after, limit }: Page): Promise<HashedText[]> =>
  readRows(db, hashedText)`
    select ${envelope} as envelope, metadata::text as metadata, payload::text as payload,
      encode(payload_digest, 'hex') as "payloadDigest", encode(leaf_hash, 'hex') as "leafHash",
      encode(hash, 'hex') as hash
    from es.events where position > ${after} order by position limit ${limit}`;

/**
 * Checks the events and converts them to their current versions. Throws on a type newer than this
 * program.
 */
export async function readEvents(db: Queryable, { after, limit }: Page): Promise<RecordedEvent[]> {
  const rows = await readRows(db, recordedText)`
    select ${envelope} as envelope, metadata::text as metadata, payload::text as payload,
      encode(hash, 'hex') as hash
    from es.events where position > ${after} order by position limit ${limit}`;
  return rows.map(recordedEvent);
}

type RecordedText = z.output<typeof recordedText>;

function recordedEvent({ envelope, ...texts }: RecordedText): RecordedEvent {
  const read = readEnvelope(envelope);
  if (read === null) throw new Error(`an event's envelope reads ${JSON.stringify(envelope)}`);
  return recordedOf(read, texts);
}

const foldedRow = z.object({
  position: integer,
  stream: text,
  version: integer,
  type: text,
  schema: integer,
  at: integer,
  data: text.nullable(),
  chain: text,
  before: text.nullable(),
});

type Span = Readonly<{ after: LogPlace; to: number; pageEvents: number }>;

/**
 * Yields the fields that a fold needs, page by page, while the database already reads the next
 * page. For many events, this takes half the time of `readEvents`. Throws a LogForkedError if the
 * log has another hash at `after` than the fold.
 */
export async function* readFolded(db: Queryable, span: Span): AsyncGenerator<FoldedEvent[]> {
  let next = readFoldedRows(db, span);
  for (;;) {
    const rows = await next;
    const last = rows.at(-1);
    if (last === undefined) return;
    const isEnd = last.position >= span.to;
    if (!isEnd) {
      const after = { position: last.position, hash: last.chain };
      next = readFoldedRows(db, { ...span, after });
      // Reported when it is awaited, if the reader gets there.
      next.catch(() => {});
    }
    yield rows.map(toFolded);
    if (isEnd) return;
  }
}

async function readFoldedRows(
  db: Queryable,
  { after, to, pageEvents }: Span,
): Promise<z.output<typeof foldedRow>[]> {
  const { position, hash } = after;
  const rows = await readRows(db, foldedRow)`
    select position, stream, version, type, schema,
      (extract(epoch from recorded_at) * 1000)::bigint as at,
      payload::text as data, encode(hash, 'hex') as chain,
      case when position = ${position + 1}
        then (select encode(hash, 'hex') from es.events where position = ${position}) end as before
    from es.events where position > ${position} and position <= ${to}
    order by position limit ${pageEvents}`;
  const [first] = rows;
  if (position > 0 && first !== undefined && first.before !== hash) throw new LogForkedError(after);
  return rows;
}

function toFolded({ data, ...row }: z.output<typeof foldedRow>): FoldedEvent {
  const { position, stream, version, type, schema, at, chain } = row;
  const event = readEvent({ stream, type, schema, data: parsedPayload(position, data) });
  return { ...event, position, version, recordedAt: at, hash: chain };
}

function parsedPayload(position: number, payload: string | null): unknown {
  if (payload === null) throw new Error(`event ${position} was redacted and cannot be folded`);
  return JSON.parse(payload);
}

export const toRecorded = (stored: StoredEvent | SealedEvent): RecordedEvent =>
  recordedOf(stored, { ...stored, hash: hex(stored.hash) });

function recordedOf(
  envelope: Envelope,
  { metadata, payload, hash }: Omit<RecordedText, 'envelope'>,
): RecordedEvent {
  const { position, version, eventId, schema, txId, recordedAt } = envelope;
  const event = readContents(envelope, payload);
  const read = readMetadata(metadata);
  return { ...event, position, version, eventId, schema, txId, recordedAt, metadata: read, hash };
}

/** Throws on a type newer than this program, and on a payload that does not match the catalogue. */
export const readContents = (
  { position, stream, type, schema }: Envelope,
  payload: string | null,
): GwEvent => readEvent({ stream, type, schema, data: parsedPayload(position, payload) });

export const readMetadata = (metadata: string): EventMetadata =>
  eventMetadata.parse(JSON.parse(metadata));

const eventRange = z.object({ first: integer.nullable(), count: integer });

/** Empty if the command did not commit. */
export async function readCommand(db: Queryable, txId: string): Promise<RecordedEvent[]> {
  const range = await readRow(db, eventRange)`
    select min(position) as first, count(*) as count from es.events where tx_id = ${txId}`;
  if (range === null || range.first === null) return [];
  return readEvents(db, { after: range.first - 1, limit: range.count });
}

/** Throws if the log has no event at `position`. */
export async function hashAt(db: Queryable, position: number): Promise<Uint8Array> {
  const hash = await readValue(db, bytes)`select hash from es.events where position = ${position}`;
  if (hash === null) throw new Error(`the log has no position ${position}`);
  return hash;
}

const hashRow = z.object({ position: integer, hash: text });

/** 64 hex digits each. Omits positions past the end. */
export async function hashesAt(
  db: Queryable,
  positions: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await readRows(db, hashRow)`
    select position, encode(hash, 'hex') as hash from es.events
    where position = any(${[...positions]}::bigint[])`;
  return new Map(rows.map(({ position, hash }) => [position, hash]));
}

const redactable = text.nullable();

/** 64 hex digits; null if no key signs checkpoints after `position`. */
export const auditKeyAt = (db: Queryable, position: number): Promise<string | null> =>
  readValue(db, redactable)`
    select payload ->> 'public_key' as key from es.events
    where type = 'AuditKeySet' and position <= ${position} order by position desc limit 1`;

const redactedRow = z.object({ position: integer, count: integer });

/** Events without a payload: their number and first positions. */
export async function readRedacted(db: Queryable, limit: number): Promise<RedactedEvents> {
  const rows = await readRows(db, redactedRow)`
    select position, count(*) over () as count from es.events
    where payload is null order by position limit ${limit}`;
  return { count: rows[0]?.count ?? 0, positions: rows.map(({ position }) => position) };
}

/** 0 before the first epoch. */
export async function epochOf(db: Queryable): Promise<number> {
  const epoch = await readValue(db, integer)`
    select (payload ->> 'epoch')::integer as epoch from es.events
    where type = 'LogEpochStarted' order by position desc limit 1`;
  return epoch ?? 0;
}

/** The last position of a command that has an event at `position`; null if there is none. */
export const commandEnd = (db: Queryable, position: number): Promise<number | null> =>
  readValue(db, integer)`
    select position + (metadata ->> 'count')::bigint - (metadata ->> 'index')::bigint - 1 as end
    from es.events where position = ${position}`;

/**
 * The last position recorded at or before `at`, which always ends a command; null if the log begins
 * later.
 */
export const lastPositionAt = (db: Queryable, at: Date): Promise<number | null> =>
  readValue(db, integer)`
    select position from es.events where recorded_at <= ${at}
    order by recorded_at desc, position desc limit 1`;
