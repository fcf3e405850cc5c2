// Seals the rows of sessions: an HMAC over the whole row, with a key derived from the encryption key and not kept in the database. So
// write access to the database alone neither makes a session nor edits one.

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import type { StoredSession } from '../../db/sessions.ts';

export type SessionRow = Omit<StoredSession, 'seal'>;

export type SessionSealer = Readonly<{
  seal: (row: SessionRow) => Buffer;
  isSealed: (row: SessionRow, seal: Buffer) => boolean;
}>;

/** The first key seals; every key opens, so that sessions outlive a rotation of the encryption key while the previous one is given. */
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
