// Checkpoints: statements, signed with Ed25519 (RFC 8032), that the chain of a log has this hash at that position. They are signed
// notes (https://c2sp.org/signed-note); the key is the audit key that the log itself holds there.

import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';

/** `hash` is 32 bytes. */
export type Checkpoint = Readonly<{ logId: string; position: number; hash: Uint8Array }>;

/** `publicKey` is 64 hex digits. */
export type SigningKey = Readonly<{ publicKey: string; sign: (text: string) => Uint8Array }>;

// RFC 8410: what stands before the 32 bytes of a private and of a public key.
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

/** Whether this key made the signature. A key or a signature of another length made none. */
export function isSigned(text: string, signature: Uint8Array, publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, 'hex');
  if (bytes.length !== 32 || signature.length !== 64) return false;
  const key = Buffer.concat([publicPrefix, bytes]);
  const spki = createPublicKey({ key, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), spki, signature);
}

const originOf = (logId: string): string => `gw/${logId}`;

const statement = ({ logId, position, hash }: Checkpoint): string =>
  `${originOf(logId)}\n${position}\n${Buffer.from(hash).toString('base64')}\n`;

/** 4 bytes that tell keys of one name apart. */
const keyId = (logId: string, publicKey: string): Uint8Array =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from(`${originOf(logId)}\n\u0001`), Buffer.from(publicKey, 'hex')]),
    'buffer',
  ).subarray(0, 4);

/** The key as verifiers of signed notes take it: name, id and key. */
export const verifierKey = (logId: string, publicKey: string): string =>
  [
    originOf(logId),
    Buffer.from(keyId(logId, publicKey)).toString('hex'),
    Buffer.concat([Uint8Array.of(1), Buffer.from(publicKey, 'hex')]).toString('base64'),
  ].join('+');

export function signedNote(checkpoint: Checkpoint, key: SigningKey): string {
  const text = statement(checkpoint);
  const { logId } = checkpoint;
  const signature = Buffer.concat([keyId(logId, key.publicKey), key.sign(text)]);
  return `${text}\n— ${originOf(logId)} ${signature.toString('base64')}\n`;
}

const notePattern =
  /^gw\/([\da-f-]{36})\n([1-9]\d{0,14})\n([\w+/]{43}=)\n\n— gw\/([\da-f-]{36}) ([\w+/]{91}=)\n$/;

/** What a note states; null when it is no checkpoint, to the byte. It may still be forged. */
export function readNote(note: string): Checkpoint | null {
  const [, logId, position, hash, signer, signature] = notePattern.exec(note) ?? [];
  if (logId === undefined || hash === undefined || signature === undefined) return null;
  const isCanonical = [hash, signature].every(
    (text) => Buffer.from(text, 'base64').toString('base64') === text,
  );
  if (signer !== logId || !isCanonical) return null;
  return { logId, position: Number(position), hash: Buffer.from(hash, 'base64') };
}

/** Whether a note that could be read was signed with this key. */
export function isNoteSigned(note: string, publicKey: string): boolean {
  const checkpoint = readNote(note);
  if (checkpoint === null) return false;
  const signature = Buffer.from(note.slice(note.lastIndexOf(' ') + 1), 'base64');
  const id = Buffer.from(keyId(checkpoint.logId, publicKey));
  if (!id.equals(signature.subarray(0, id.length))) return false;
  return isSigned(statement(checkpoint), signature.subarray(id.length), publicKey);
}

type Rotation = Readonly<{ logId: string; previous: string; next: string }>;

/** What the audit key before signs, to hand over to the next one. */
export const rotationText = ({ logId, previous, next }: Rotation): string =>
  `gw-audit-key-v1\n${logId}\n${previous}\n${next}\n`;
