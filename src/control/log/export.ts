// Exports the log as lines of JSON (NDJSON), ordered by position, with the exact hashed bytes and
// each checkpoint after its event. Parts that are hashed as text are strings, so that JSON readers
// cannot alter them.

import type { Queryable } from '@databases/pg';

import { auditKeyAt, hashAt, readStored } from '../../db/log/event-log.ts';
import type { StoredEvent } from '../../db/log/event-log.ts';
import { listSignedCheckpoints } from '../../db/log/signed-checkpoints.ts';
import type { LogHead } from '../../../events/seal.ts';
import { genesisHash } from '../../../events/seal.ts';

/** Both positions are included. */
export type ExportRange = Readonly<{ from: number; to: number }>;

const pageEvents = 1000;

/** `to` is at most the head. */
export async function* exportLog(
  db: Queryable,
  { logId }: Pick<LogHead, 'logId'>,
  { from, to }: ExportRange,
): AsyncGenerator<string, void, undefined> {
  const before = from - 1;
  const previous = before === 0 ? genesisHash(logId) : await hashAt(db, before);
  yield line({
    gw_log_export: 1,
    log_id: logId,
    from,
    to,
    previous_hash: hex(previous),
    audit_key: await auditKeyAt(db, before),
  });
  let last = previous;
  let checkpoints = 0;
  for (let after = before; after < to;) {
    const limit = Math.min(pageEvents, to - after);
    const events = await readStored(db, { after, limit });
    if (events.length === 0)
      throw new Error(`the log ends at ${after}, but its head is at a later position`);
    const stored = await listSignedCheckpoints(db, { after, to: after + limit, limit });
    const notes = new Map(stored.map(({ position, note }) => [position, note]));
    yield events
      .flatMap((event) => {
        const note = notes.get(event.position);
        return note === undefined ? [eventLine(event)] : [eventLine(event), noteLine(note)];
      })
      .join('');
    checkpoints += stored.length;
    last = events.at(-1)?.hash ?? last;
    after += events.length;
  }
  yield line({ end: to, hash: hex(last), events: to - before, checkpoints });
}

const line = (record: object): string => `${JSON.stringify(record)}\n`;

/** The same form as in the file of checkpoints. */
export const noteLine = (note: string): string => line({ checkpoint: note });

export const eventLine = (event: StoredEvent): string =>
  line({
    position: event.position,
    stream: event.stream,
    version: event.version,
    event_id: event.eventId,
    type: event.type,
    schema: event.schema,
    tx_id: event.txId,
    recorded_at: event.recordedAt,
    metadata: event.metadata,
    payload: event.payload,
    payload_digest: hex(event.payloadDigest),
    leaf_hash: hex(event.leafHash),
    hash: hex(event.hash),
  });

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
