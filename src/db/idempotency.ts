// Stores the first answers to mutations with an Idempotency-Key, by principal and SHA-256 of the
// key.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { PrincipalId } from '../lib/ids.ts';
import { bytes, readRow, text } from './rows.ts';
import type { Sealed } from './vault.ts';

/** Equal keys of different principals are different. */
export type KeyOwner = Readonly<{ principalId: PrincipalId; keyDigest: Buffer }>;

/** `answer` is null if it was erased. */
export type StoredAnswer = Readonly<{ requestFingerprint: string; answer: Sealed | null }>;

const answerRow = z.object({ request_fingerprint: text, key_id: text, answer: bytes });

/** Null if there is none or it has expired. */
export async function findAnswer(
  db: Queryable,
  { principalId, keyDigest }: KeyOwner,
  now: Date,
): Promise<StoredAnswer | null> {
  const row = await readRow(db, answerRow)`
      select request_fingerprint, key_id, answer from op.idempotent_answers
      where principal_id = ${principalId} and key_digest = ${keyDigest} and expires_at > ${now}`;
  if (row === null) return null;
  const answer = row.answer.length === 0 ? null : { keyId: row.key_id, body: row.answer };
  return { requestFingerprint: row.request_fingerprint, answer };
}

/** Replaces an expired answer. Callers must have found no valid one. */
export async function insertAnswer(
  tx: Queryable,
  { principalId, keyDigest }: KeyOwner,
  stored: Readonly<{ requestFingerprint: string; answer: Sealed; expiresAt: Date }>,
): Promise<void> {
  const { requestFingerprint, answer, expiresAt } = stored;
  await tx.query(sql`
    insert into op.idempotent_answers
      (principal_id, key_digest, request_fingerprint, key_id, answer, expires_at)
    values (${principalId}, ${keyDigest}, ${requestFingerprint}, ${answer.keyId}, ${answer.body},
      ${expiresAt})
    on conflict (principal_id, key_digest) do update set
      request_fingerprint = excluded.request_fingerprint, key_id = excluded.key_id,
      answer = excluded.answer, expires_at = excluded.expires_at`);
}

/**
 * Any answer may contain the erased data, and all are encrypted. The rows stay, so that no request
 * is repeated.
 */
export async function eraseAnswers(tx: Queryable): Promise<void> {
  await tx.query(sql`update op.idempotent_answers set answer = '' where answer <> ''`);
}

/** Returns the number of deleted answers. */
export async function deleteExpiredAnswers(
  db: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const rows: unknown[] = await db.query(sql`
    delete from op.idempotent_answers where (principal_id, key_digest) in (
      select principal_id, key_digest from op.idempotent_answers
      where expires_at <= ${now} order by expires_at limit ${limit})
    returning 1`);
  return rows.length;
}
