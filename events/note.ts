// Formats and parses the text of a checkpoint: a signed note (https://c2sp.org/signed-note) that
// states the hash of a log at a position. events/checkpoint.ts signs; each verifier brings its own
// Ed25519.

import { hash } from 'node:crypto';

import { base64Bytes, base64Of, hexBytes, hexOf } from './bytes.ts';

/** `hash` is 32 bytes. */
export type Checkpoint = Readonly<{ logId: string; position: number; hash: Uint8Array }>;

export const originOf = (logId: string): string => `gw/${logId}`;

export const statement = ({ logId, position, hash: stated }: Checkpoint): string =>
  `${originOf(logId)}\n${position}\n${base64Of(stated)}\n`;

const keyIdBytes = 4;

/** 8 hex digits that distinguish keys of the same name. */
export function keyId(logId: string, publicKey: string): string {
  const name = new TextEncoder().encode(`${originOf(logId)}\n\u0001`);
  const digest = hash('sha256', Uint8Array.of(...name, ...hexBytes(publicKey)));
  return digest.slice(0, keyIdBytes * 2);
}

const notePattern =
  /^gw\/([\da-f-]{36})\n([1-9]\d{0,14})\n([\w+/]{43}=)\n\n— gw\/([\da-f-]{36}) ([\w+/]{91}=)\n$/;

/** Null if the bytes are not those of a checkpoint. The signature is not checked here. */
export function readNote(note: string): Checkpoint | null {
  const [, logId, position, stated, signer, signature] = notePattern.exec(note) ?? [];
  if (logId === undefined || stated === undefined || signature === undefined) return null;
  const isCanonical = [stated, signature].every((text) => base64Of(base64Bytes(text)) === text);
  if (signer !== logId || !isCanonical) return null;
  return { logId, position: Number(position), hash: base64Bytes(stated) };
}

/** Null if the note names another key. */
export function signatureIn(
  note: string,
  logId: string,
  publicKey: string,
): Uint8Array<ArrayBuffer> | null {
  const bytes = base64Bytes(note.slice(note.lastIndexOf(' ') + 1));
  const isNamed = hexOf(bytes.subarray(0, keyIdBytes)) === keyId(logId, publicKey);
  return isNamed ? bytes.slice(keyIdBytes) : null;
}

type Rotation = Readonly<{ logId: string; previous: string; next: string }>;

/** The previous audit key signs this to authorise the next one. */
export const rotationText = ({ logId, previous, next }: Rotation): string =>
  `gw-audit-key-v1\n${logId}\n${previous}\n${next}\n`;
