// The check of a log, event by event and note by note, from wherever a trusted hash of its chain is known. Everything that verifies
// does it by this, in Node and in the browser: the log in its database, an export, a replay, and what is about to be signed.

import { base64Bytes, hexBytes, hexOf } from './bytes.ts';
import { brokenDigest, genesisHex, readEnvelope } from './hashed-text.ts';
import type { Envelope, HashedText } from './hashed-text.ts';
import { readNote, rotationText, signatureIn, statement } from './note.ts';

/** Where a check stands. `auditKey` signs the checkpoints after that position, 64 hex digits; null when there is none. */
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
  /** Whether this Ed25519 key (64 hex digits) made the signature. */
  isSigned: (
    text: string,
    signature: Uint8Array<ArrayBuffer>,
    publicKey: string,
  ) => boolean | Promise<boolean>;
  /** Where contents are checked as well: what is wrong with those of an event whose digests hold. */
  unreadable?: (envelope: Envelope, event: HashedText) => string | null;
}>;

/** A `Link` whose hash is 64 hex digits. */
export type Standing = Omit<Link, 'hash'> & Readonly<{ hash: string }>;

export type ChainCheck = Readonly<{
  /** Takes the next event; answers what is wrong with it. After a problem it takes no more. */
  event: (event: HashedText) => Promise<string | null>;
  /** The problem of a checkpoint for the current position; null when it holds. */
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
      if (stated.logId !== logId) return `the checkpoint is of log ${stated.logId}`;
      if (stated.position !== at.position)
        return `the checkpoint is of position ${stated.position}`;
      if (hexOf(stated.hash) !== at.hash)
        return 'the checkpoint states another hash than the chain has';
      const { auditKey } = at;
      if (auditKey === null) return 'the checkpoint is signed, and the log holds no audit key';
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
