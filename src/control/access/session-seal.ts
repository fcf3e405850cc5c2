// Seals session rows with an HMAC over the whole row. Its key derives from the encryption key,
// which is not in the database, so write access to the database is not enough to create or edit a
// session.

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import type { StoredSession } from '../../db/sessions.ts';

export type SessionRow = Omit<StoredSession, 'seal'>;

export type SessionSealer = Readonly<{
  seal: (row: SessionRow) => Buffer;
  isSealed: (row: SessionRow, seal: Buffer) => boolean;
}>;

/**
 * The first key seals. All keys verify, so sessions survive a rotation of the encryption key while
 * the previous key is configured.
 */
export function createSessionSealer(
  first: Uint8Array,
  ...others: readonly Uint8Array[]
): SessionSealer {
  const [own, ...previous] = [derive(first), ...others.map(derive)] as const;
  return {
    seal: (row) => macOf(own, row),
    isSealed: (row, seal) =>
      [own, ...previous].some((key) => {
        const expected = macOf(key, row);
        return seal.length === expected.length && timingSafeEqual(seal, expected);
      }),
  };
}

const derive = (encryptionKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, '', 'gw-session-v1', 32));

const macOf = (
  key: Buffer,
  { tokenDigest, principalId, credentialRef, createdAt, expiresAt }: SessionRow,
): Buffer =>
  createHmac('sha256', key)
    .update(
      JSON.stringify([
        tokenDigest.toString('hex'),
        principalId,
        credentialRef,
        createdAt.getTime(),
        expiresAt.getTime(),
      ]),
    )
    .digest();
