// Encrypts and reads the files of the snapshot cache.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const fileBytesMax = 512 * 1024 * 1024;

/** `header` is authenticated together with the content. */
type Sealing = Readonly<{ key: Buffer; header: Uint8Array }>;

/** The nonce, the tag and the encrypted bytes. */
export function seal(plain: Uint8Array, { key, header }: Sealing): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(header);
  const sealed = Buffer.concat([sealing.update(plain), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

/** Characters that are encrypted and written at a time. */
const pieceChars = 256 * 1024;

/**
 * Writes the header and the sealed texts to an empty file, piece by piece. The tag is written last.
 * Returns the number of bytes.
 */
export async function sealTo(
  file: FileHandle,
  texts: Iterable<string>,
  { key, header }: Sealing,
): Promise<number> {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(header);
  const tagAt = header.length + nonceBytes;
  const start = Buffer.concat([header, nonce, Buffer.alloc(tagBytes)]);
  await file.writeFile(start);
  let bytes = start.length;
  for (const piece of piecesOf(texts)) {
    const sealed = sealing.update(piece, 'utf8');
    await file.writeFile(sealed);
    bytes += sealed.length;
  }
  // Counter mode has no bytes left at the end.
  sealing.final();
  const { bytesWritten } = await file.write(sealing.getAuthTag(), 0, tagBytes, tagAt);
  if (bytesWritten < tagBytes) throw new Error('the disk is full');
  return bytes;
}

function* piecesOf(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < pieceChars) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Null if the bytes were damaged or modified, or sealed with another key or header. */
export function unseal(bytes: Buffer, { key, header }: Sealing): Buffer | null {
  if (bytes.length < nonceBytes + tagBytes) return null;
  const nonce = bytes.subarray(0, nonceBytes);
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAAD(header);
  opening.setAuthTag(tagOf(bytes));
  try {
    return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]);
  } catch {
    return null;
  }
}

const tagOf = (sealed: Buffer): Buffer => sealed.subarray(nonceBytes, nonceBytes + tagBytes);

export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

export async function readFile(path: string): Promise<Buffer | Refusal> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await file.stat();
    if (size > fileBytesMax) return refuse('too_large', `${size} bytes`);
    return await file.readFile();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('absent', code);
  }
}
