// Signs and verifies checkpoints: statements, signed with Ed25519 (RFC 8032), that the chain of a
// log has this hash at that position. They are signed notes (https://c2sp.org/signed-note). The log
// records the audit key that is valid there.

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

import { keyId, originOf, readNote, signatureIn, statement } from './note.ts';
import type { Checkpoint } from './note.ts';

/** `publicKey` is 64 hex digits. */
export type SigningKey = Readonly<{ publicKey: string; sign: (text: string) => Uint8Array }>;

// RFC 8410: the fixed prefixes of the 32 bytes of a private and of a public key.
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** `seed` is the private key of RFC 8032: 32 bytes. */
export function signingKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({
    key: Buffer.concat([privatePrefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: der.subarray(publicPrefix.length).toString('hex'),
    sign: (text) => sign(null, Buffer.from(text), key),
  };
}

/** False if the key or signature has another length. */
export function isSigned(text: string, signature: Uint8Array, publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, 'hex');
  if (bytes.length !== 32 || signature.length !== 64) return false;
  const key = Buffer.concat([publicPrefix, bytes]);
  const spki = createPublicKey({ key, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), spki, signature);
}

/** The format that verifiers of signed notes accept: name, id and key. */
export const verifierKey = (logId: string, publicKey: string): string =>
  [
    originOf(logId),
    keyId(logId, publicKey),
    Buffer.concat([Uint8Array.of(1), Buffer.from(publicKey, 'hex')]).toString('base64'),
  ].join('+');

export function signedNote(checkpoint: Checkpoint, key: SigningKey): string {
  const text = statement(checkpoint);
  const { logId } = checkpoint;
  const id = Buffer.from(keyId(logId, key.publicKey), 'hex');
  const signature = Buffer.concat([id, key.sign(text)]);
  return `${text}\n— ${originOf(logId)} ${signature.toString('base64')}\n`;
}

export function isNoteSigned(note: string, publicKey: string): boolean {
  const checkpoint = readNote(note);
  if (checkpoint === null) return false;
  const signature = signatureIn(note, checkpoint.logId, publicKey);
  return signature !== null && isSigned(statement(checkpoint), signature, publicKey);
}
