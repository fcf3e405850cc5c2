// Seals new events: assigns their positions in the log, their digests and their links in the hash
// chain. es.event_leaf and es.events_guard in migrations/0001-event-log.sql check the hashed bytes
// again.

import { hash } from 'node:crypto';

import { schemaOf } from './catalogue.ts';
import type { GwEvent } from './catalogue.ts';
import type { EventMetadata } from './event.ts';
import { genesisHex, leafText, nodeHash } from './hashed-text.ts';

/** `hash` is 32 bytes; `recordedAt` is epoch milliseconds. */
export type LogHead = Readonly<{
  logId: string;
  position: number;
  hash: Uint8Array;
  recordedAt: number;
}>;

/** With the exact texts that were hashed. */
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

export type Leaf = Omit<SealedEvent, 'payload' | 'leafHash' | 'hash'>;

export const leafHash = (leaf: Leaf): Uint8Array => {
  const { position, stream, version, eventId, type, schema, txId, recordedAt, metadata } = leaf;
  const fields = [position, stream, version, eventId, type, schema, txId, recordedAt];
  const payloadDigest = hex(leaf.payloadDigest);
  return digest(leafText({ envelope: fields.join('\n'), metadata, payloadDigest }));
};

export const chainHash = (previous: Uint8Array, leaf: Uint8Array): Uint8Array =>
  Buffer.from(nodeHash(hex(previous), hex(leaf)), 'hex');

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

export const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer');

export const genesisHash = (logId: string): Uint8Array => Buffer.from(genesisHex(logId), 'hex');

type Command = Readonly<{
  txId: string;
  /** Epoch milliseconds; never earlier than the time of the head. */
  at: number;
  metadata: Omit<EventMetadata, 'index' | 'count'>;
  newId: () => string;
  streamVersion: (stream: string) => number;
}>;

/** The events of one command, at least one. */
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
