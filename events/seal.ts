// Sealing: gives new events their place in the log, their digests and their link in the hash chain. The bytes hashed here are
// those of es.event_leaf and es.events_guard in migrations/0001-event-log.sql, which check them again.

import { hash } from 'node:crypto';

import { schemaOf } from './catalogue.ts';
import type { GwEvent } from './catalogue.ts';
import type { EventMetadata } from './event.ts';

/** The end of the log. `hash` is 32 bytes; `recordedAt` epoch milliseconds. */
export type LogHead = Readonly<{
  logId: string;
  position: number;
  hash: Uint8Array;
  recordedAt: number;
}>;

/** An event as it is stored, with the exact texts whose bytes were hashed. */
export type SealedEvent = Readonly<{
  position: number;
  stream: string;
  version: number;
  eventId: string;
  type: string;
  schema: number;
  txId: string;
  recordedAt: number;
  metadata: string;
  payload: string;
  payloadDigest: Uint8Array;
  leafHash: Uint8Array;
  hash: Uint8Array;
}>;

/** What the leaf of an event covers. */
export type Leaf = Omit<SealedEvent, 'payload' | 'leafHash' | 'hash'>;

export const leafHash = (leaf: Leaf): Uint8Array => {
  const { position, stream, version, eventId, type, schema, txId, recordedAt, metadata } = leaf;
  const fields = [position, stream, version, eventId, type, schema, txId, recordedAt];
  const payloadDigest = hex(leaf.payloadDigest);
  return digest(leafText({ envelope: fields.join('\n'), metadata, payloadDigest }));
};

export const chainHash = (previous: Uint8Array, leaf: Uint8Array): Uint8Array => {
  const bytes = Buffer.allocUnsafe(1 + previous.length + leaf.length);
  bytes[0] = nodePrefix;
  bytes.set(previous, 1);
  bytes.set(leaf, 1 + previous.length);
  return hash('sha256', bytes, 'buffer');
};

/**
 * An event in the texts that its digests are of. The envelope is a line each for the position, the stream, the version, the event's id,
 * the type, the schema, the transaction and the time in epoch milliseconds, without a last line feed. Digests are 64 hex digits.
 */
export type HashedText = Readonly<{
  envelope: string;
  metadata: string;
  /** Null after a redaction by the owner. */
  payload: string | null;
  payloadDigest: string;
  leafHash: string;
  hash: string;
}>;

function leafText(leaf: Pick<HashedText, 'envelope' | 'metadata' | 'payloadDigest'>): string {
  const digests = `${hash('sha256', leaf.metadata)}\n${leaf.payloadDigest}\n`;
  return `${leafPrefix}gw-event-v1\n${leaf.envelope}\n${digests}`;
}

/**
 * Which digest of an event is not that of its bytes, when the chain has the hash `previous` (64 hex digits) before it; null when all
 * are. A log is verified event by event, and a digest as text is made in a third of the time of one as bytes.
 */
export function brokenDigest(
  previous: string,
  event: HashedText,
): 'payload' | 'leaf' | 'chain' | null {
  const { payload } = event;
  if (payload !== null && hash('sha256', payload) !== event.payloadDigest) return 'payload';
  if (hash('sha256', leafText(event)) !== event.leafHash) return 'leaf';
  const link = Buffer.from(`${nodePrefixHex}${previous}${event.leafHash}`, 'hex');
  return hash('sha256', link) === event.hash ? null : 'chain';
}

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

export const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

export const genesisHash = (logId: string): Uint8Array => digest(`gw-log-genesis${logId}`);

// RFC 6962 prefixes: a leaf can never be taken for a node, and a Merkle tree can be laid over the leaves later.
const leafPrefix = '\u0000';
const nodePrefix = 1;
const nodePrefixHex = '01';

type Command = Readonly<{
  txId: string;
  /** The command's time, epoch milliseconds; never set before the head's. */
  at: number;
  metadata: Omit<EventMetadata, 'index' | 'count'>;
  newId: () => string;
  /** The version of a stream before this command. */
  streamVersion: (stream: string) => number;
}>;

/** The events of one command, sealed behind `head`. `events` is not empty. */
export function seal(events: readonly GwEvent[], head: LogHead, command: Command): SealedEvent[] {
  const recordedAt = Math.max(command.at, head.recordedAt);
  const versions = new Map<string, number>();
  let previous = head.hash;
  return events.map((event, index) => {
    const version = (versions.get(event.stream) ?? command.streamVersion(event.stream)) + 1;
    versions.set(event.stream, version);
    const payload = JSON.stringify(event.data);
    const leaf = {
      position: head.position + 1 + index,
      stream: event.stream,
      version,
      eventId: command.newId(),
      type: event.type,
      schema: schemaOf(event.type),
      txId: command.txId,
      recordedAt,
      metadata: JSON.stringify({ ...command.metadata, index, count: events.length }),
      payloadDigest: digest(payload),
    };
    const leafDigest = leafHash(leaf);
    previous = chainHash(previous, leafDigest);
    return { ...leaf, payload, leafHash: leafDigest, hash: previous };
  });
}
