// Verifies a log event by event and checkpoint by checkpoint, from any position whose hash is
// trusted, in Node and in the browser. All verification uses it: of the database, of exports and
// replays, and before a checkpoint is signed.

import { base64Bytes, hexBytes, hexOf } from './bytes.ts';
import { brokenDigest, genesisHex, readEnvelope } from './hashed-text.ts';
import type { Envelope, HashedText } from './hashed-text.ts';
import { readNote, rotationText, signatureIn, statement } from './note.ts';

/**
 * A position and its hash. `auditKey` signs the checkpoints after it: 64 hex digits, or null if
 * there is no key.
 */
export type Link = Readonly<{
  position: number;
  hash: Uint8Array;
  recordedAt: number;
  auditKey: string | null;
}>;

export const firstLink = (logId: string): Link => ({
  position: 0,
  hash: hexBytes(genesisHex(logId)),
  recordedAt: 0,
  auditKey: null,
});

/** The functions that differ between Node and the browser. */
export type Means = Readonly<{
  /** `publicKey` is an Ed25519 key, 64 hex digits. */
  isSigned: (
    text: string,
    signature: Uint8Array<ArrayBuffer>,
    publicKey: string,
  ) => boolean | Promise<boolean>;
  /** Checks the content of an event whose digests are correct. Returns the problem, or null. */
  unreadable?: (envelope: Envelope, event: HashedText) => string | null;
}>;

/** The hash is 64 hex digits. */
export type Standing = Omit<Link, 'hash'> & Readonly<{ hash: string }>;

export type ChainCheck = Readonly<{
  /** Returns the problem, or null. After a problem it must not be called again. */
  event: (event: HashedText) => Promise<string | null>;
  /** Checks a checkpoint of the current position. Returns the problem, or null. */
  checkpoint: (note: string) => Promise<string | null>;
  at: () => Standing;
  link: () => Link;
}>;

export function createChainCheck(
  logId: string,
  means: Means,
  from: Link = firstLink(logId),
): ChainCheck {
  let at: Standing = { ...from, hash: hexOf(from.hash) };
  return {
    event: async (event) => {
      const envelope = readEnvelope(event.envelope);
      if (envelope === null) return 'the envelope cannot be read';
      const broken = brokenLink(at, envelope, event) ?? means.unreadable?.(envelope, event) ?? null;
      if (broken !== null) return broken;
      let { auditKey } = at;
      if (envelope.type === 'AuditKeySet') {
        const { public_key: next, signature } = keySet(event.payload);
        if (typeof next !== 'string') return 'the audit key was redacted';
        const isHandedOver =
          auditKey === null ||
          (await means.isSigned(
            rotationText({ logId, previous: auditKey, next }),
            base64Bytes(typeof signature === 'string' ? signature : ''),
            auditKey,
          ));
        if (!isHandedOver)
          return `audit key ${next} is not signed by the one before it, ${auditKey}`;
        auditKey = next;
      }
      const { position, recordedAt } = envelope;
      at = { position, recordedAt, hash: event.hash, auditKey };
      return null;
    },
    checkpoint: async (note) => {
      const stated = readNote(note);
      if (stated === null) return 'the checkpoint cannot be read';
      if (stated.logId !== logId) return `the checkpoint belongs to log ${stated.logId}`;
      if (stated.position !== at.position)
        return `the checkpoint belongs to position ${stated.position}`;
      if (hexOf(stated.hash) !== at.hash)
        return 'the hash of the checkpoint differs from that of the chain';
      const { auditKey } = at;
      if (auditKey === null) return 'the checkpoint is signed, but the log has no audit key';
      const signature = signatureIn(note, logId, auditKey);
      return signature !== null && (await means.isSigned(statement(stated), signature, auditKey))
        ? null
        : `audit key ${auditKey} did not sign the checkpoint`;
    },
    at: () => at,
    link: () => ({ ...at, hash: hexBytes(at.hash) }),
  };
}

function brokenLink(at: Standing, envelope: Envelope, event: HashedText): string | null {
  if (envelope.position !== at.position + 1) return `the next event is ${envelope.position}`;
  const broken = brokenDigest(at.hash, event);
  if (broken !== null) return broken;
  return envelope.recordedAt < at.recordedAt ? 'the event is older than the one before it' : null;
}

type KeySet = Readonly<{ public_key?: unknown; signature?: unknown }>;

const keySet = (payload: string | null): KeySet => Object(JSON.parse(payload ?? 'null'));
