// The check of a log, event by event and note by note, from wherever a trusted hash of its chain is known. Everything that verifies
// does it by this: the log in its database, an export, a replay, and what is about to be signed.

import { settingsEvents } from '../../../events/settings.ts';
import { isNoteSigned, isSigned, readNote, rotationText } from '../../../events/checkpoint.ts';
import { isUsualMetadata } from '../../../events/usual-metadata.ts';
import { brokenDigest, genesisHash } from '../../../events/seal.ts';
import type { HashedText } from '../../../events/seal.ts';
import { readContents, readEnvelope, readMetadata } from '../../db/event-log.ts';
import type { Envelope } from '../../db/event-log.ts';

/** Where a check stands. `auditKey` signs checkpoints behind that position, 64 hex digits; null when there is none. */
export type Link = Readonly<{
  position: number;
  hash: Uint8Array;
  recordedAt: number;
  auditKey: string | null;
}>;

export const firstLink = (logId: string): Link => ({
  position: 0,
  hash: genesisHash(logId),
  recordedAt: 0,
  auditKey: null,
});

export type ChainCheck = Readonly<{
  /** Takes the next event; answers what is wrong with it. Behind a problem nothing more is to be taken. */
  event: (event: HashedText) => string | null;
  /** What is wrong with a checkpoint of the position where the check stands. */
  checkpoint: (note: string) => string | null;
  link: () => Link;
}>;

export function createChainCheck(logId: string, from: Link = firstLink(logId)): ChainCheck {
  let { position, recordedAt, auditKey } = from;
  let hash = hex(from.hash);
  return {
    event: (event) => {
      const envelope = readEnvelope(event.envelope);
      if (envelope === null) return 'the envelope cannot be read';
      const broken = brokenLink({ position, hash, recordedAt }, envelope, event);
      if (broken !== null) return broken;
      if (envelope.type === 'AuditKeySet') {
        const wrong = wrongKey(event.payload, { logId, auditKey });
        if (wrong !== null) return wrong;
        auditKey = keySet(event.payload).public_key;
      }
      ({ position, recordedAt } = envelope);
      ({ hash } = event);
      return null;
    },
    checkpoint: (note) => {
      const stated = readNote(note);
      if (stated === null) return 'the checkpoint cannot be read';
      if (stated.logId !== logId) return `the checkpoint is of log ${stated.logId}`;
      if (stated.position !== position) return `the checkpoint is of position ${stated.position}`;
      if (hex(stated.hash) !== hash) return 'the checkpoint states another hash than the chain has';
      if (auditKey === null) return 'the checkpoint is signed, and the log holds no audit key';
      return isNoteSigned(note, auditKey)
        ? null
        : `audit key ${auditKey} did not sign the checkpoint`;
    },
    link: () => ({ position, hash: Buffer.from(hash, 'hex'), recordedAt, auditKey }),
  };
}

const digestProblems = {
  payload: 'the payload does not have its digest',
  leaf: 'the envelope does not have its leaf hash',
  chain: 'the event does not follow the one before it in the hash chain',
} as const;

type Previous = Readonly<{ position: number; hash: string; recordedAt: number }>;

function brokenLink(previous: Previous, envelope: Envelope, event: HashedText): string | null {
  if (envelope.position !== previous.position + 1) return `the next event is ${envelope.position}`;
  const broken = brokenDigest(previous.hash, event);
  if (broken !== null) return digestProblems[broken];
  const { recordedAt } = envelope;
  if (recordedAt < previous.recordedAt) return 'the event is older than the one before it';
  if (event.payload === null) return null;
  try {
    readContents(envelope, event.payload);
    if (!isUsualMetadata(event.metadata)) readMetadata(event.metadata);
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return null;
}

const { AuditKeySet } = settingsEvents;

/** Of the payload of an event that could be read. */
const keySet = (payload: string | null) => AuditKeySet.data.parse(JSON.parse(payload ?? 'null'));

type Keys = Readonly<{ logId: string; auditKey: string | null }>;

/** A new audit key that the one before did not sign. */
function wrongKey(payload: string | null, { logId, auditKey }: Keys): string | null {
  if (payload === null) return 'the audit key was redacted';
  const set = keySet(payload);
  if (auditKey === null) return null;
  const text = rotationText({ logId, previous: auditKey, next: set.public_key });
  const signature = Buffer.from(set.signature ?? '', 'base64');
  return isSigned(text, signature, auditKey)
    ? null
    : `audit key ${set.public_key} is not signed by the one before it, ${auditKey}`;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
