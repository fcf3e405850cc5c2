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

export const leafHash = (leaf: Leaf): Uint8Array => digest(leafText(leaf));

function leafText(leaf: Leaf): string {
  const { position, stream, version, eventId, type, schema, txId, recordedAt, metadata } = leaf;
  const envelope = `${position}\n${stream}\n${version}\n${eventId}\n${type}\n${schema}\n${txId}`;
  const digests = `${hash('sha256', metadata)}\n${hex(leaf.payloadDigest)}\n`;
  return `${leafPrefix}gw-event-v1\n${envelope}\n${recordedAt}\n${digests}`;
}

export const chainHash = (previous: Uint8Array, leaf: Uint8Array): Uint8Array =>
  hash('sha256', link(previous, leaf), 'buffer');

function link(previous: Uint8Array, leaf: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + previous.length + leaf.length);
  bytes[0] = nodePrefix;
  bytes.set(previous, 1);
  bytes.set(leaf, 1 + previous.length);
  return bytes;
}

type Stored = Leaf & Pick<SealedEvent, 'leafHash' | 'hash'> & Readonly<{ payload: string | null }>;

/**
 * Which digest of an event is not that of its bytes, when the chain has the hash `previous` before it; null when all are. Compared as
 * text, which is made in half of the time: a log is verified event by event.
 */
export function brokenDigest(
  previous: Uint8Array,
  event: Stored,
): 'payload' | 'leaf' | 'chain' | null {
  const { payload } = event;
  if (payload !== null && hash('sha256', payload) !== hex(event.payloadDigest)) return 'payload';
  if (hash('sha256', leafText(event)) !== hex(event.leafHash)) return 'leaf';
  return hash('sha256', link(previous, event.leafHash)) === hex(event.hash) ? null : 'chain';
}

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

export const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

export const genesisHash = (logId: string): Uint8Array => digest(`gw-log-genesis${logId}`);

// RFC 6962 prefixes: a leaf can never be taken for a node, and a Merkle tree can be laid over the leaves later.
const leafPrefix = '\u0000';
const nodePrefix = 1;

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
