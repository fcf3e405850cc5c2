// The exact texts that the digests of an event cover, and the check of those digests. The command line, the management UI and the
// offline viewer verify with it, so it uses neither a schema nor anything of Node but `hash`, which the browser builds replace.

import { hash } from 'node:crypto';

import { hexBytes } from './bytes.ts';

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

/** The values of an envelope; null unless it has exactly one line for each. */
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

// RFC 6962 prefixes: a leaf can never be taken for a node, and a Merkle tree can be laid over the leaves later.
const leafPrefix = '\u0000';
const nodePrefixHex = '01';

export function leafText(
  leaf: Pick<HashedText, 'envelope' | 'metadata' | 'payloadDigest'>,
): string {
  const digests = `${hash('sha256', leaf.metadata)}\n${leaf.payloadDigest}\n`;
  return `${leafPrefix}gw-event-v1\n${leaf.envelope}\n${digests}`;
}

/** The hash of the chain after an event, from the hash before it and its leaf: 64 hex digits each. */
export const nodeHash = (previous: string, leaf: string): string =>
  hash('sha256', hexBytes(`${nodePrefixHex}${previous}${leaf}`));

/** The hash before the first event of a log. */
export const genesisHex = (logId: string): string => hash('sha256', `gw-log-genesis${logId}`);

/**
 * Says which digest of an event differs from that of its bytes, where `previous` is the hash before it; null when all agree.
 * deploy/verify.mjs uses the same words.
 */
export function brokenDigest(previous: string, event: HashedText): string | null {
  const { payload } = event;
  if (payload !== null && hash('sha256', payload) !== event.payloadDigest) {
    return 'the payload does not have its digest';
  }
  if (hash('sha256', leafText(event)) !== event.leafHash) {
    return 'the envelope does not have its leaf hash';
  }
  return nodeHash(previous, event.leafHash) === event.hash
    ? null
    : 'the event does not follow the one before it in the hash chain';
}
