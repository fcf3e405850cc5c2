// Builds the exact texts that the digests of an event cover, and checks those digests. The command
// line, the management UI and the offline viewer use it, so it needs no schema and, of Node, only
// `hash`, which the browser builds replace.

import { hash } from 'node:crypto';

import { hexBytes } from './bytes.ts';

/**
 * The envelope has one line each for the position, stream, version, event id, type, schema,
 * transaction and time in epoch milliseconds, without a final line feed. Digests are 64 hex digits.
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

export type Envelope = Readonly<{
  position: number;
  stream: string;
  version: number;
  eventId: string;
  type: string;
  schema: number;
  txId: string;
  recordedAt: number;
}>;

const envelopeLines = 8;

/** Null if the text does not have exactly one line for each value. */
export function readEnvelope(text: string): Envelope | null {
  const lines = text.split('\n');
  const [position, stream, version, eventId, type, schema, txId, recordedAt] = lines;
  if (lines.length !== envelopeLines || stream === undefined || eventId === undefined) return null;
  if (type === undefined || txId === undefined) return null;
  return {
    position: Number(position),
    stream,
    version: Number(version),
    eventId,
    type,
    schema: Number(schema),
    txId,
    recordedAt: Number(recordedAt),
  };
}

// RFC 6962 prefixes: a leaf cannot be mistaken for a node, and a Merkle tree can be built over the
// leaves later.
const leafPrefix = '\u0000';
const nodePrefixHex = '01';

export function leafText(
  leaf: Pick<HashedText, 'envelope' | 'metadata' | 'payloadDigest'>,
): string {
  const digests = `${hash('sha256', leaf.metadata)}\n${leaf.payloadDigest}\n`;
  return `${leafPrefix}gw-event-v1\n${leaf.envelope}\n${digests}`;
}

/** All are 64 hex digits. */
export const nodeHash = (previous: string, leaf: string): string =>
  hash('sha256', hexBytes(`${nodePrefixHex}${previous}${leaf}`));

export const genesisHex = (logId: string): string => hash('sha256', `gw-log-genesis${logId}`);

/**
 * Null if all digests match. `previous` is the hash before the event. deploy/verify.mjs uses the
 * same messages.
 */
export function brokenDigest(previous: string, event: HashedText): string | null {
  const { payload } = event;
  if (payload !== null && hash('sha256', payload) !== event.payloadDigest) {
    return 'the payload does not match its digest';
  }
  if (hash('sha256', leafText(event)) !== event.leafHash) {
    return 'the envelope does not match its leaf hash';
  }
  return nodeHash(previous, event.leafHash) === event.hash
    ? null
    : 'the event does not follow the one before it in the hash chain';
}
