// First answers of mutations that carried an Idempotency-Key, found by the principal and the SHA-256 of the key.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { PrincipalId } from '../lib/ids.ts';
import { bytes, readRow, text } from './rows.ts';
import type { Sealed } from './vault.ts';

/** Whose key it is: another principal's key of the same text is another key. */
export type KeyOwner = Readonly<{ principalId: PrincipalId; keyDigest: Buffer }>;

/** `answer` null: it was erased. */
export type StoredAnswer = Readonly<{ requestFingerprint: string; answer: Sealed | null }>;

const answerRow = z.object({ request_fingerprint: text, key_id: text, answer: bytes });

/** Null when there is none, or when it has expired. */
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

/** Takes the place of one that has expired. Whoever calls has found none that is valid. */
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

/** All of them: they are sealed, and which of them show a person cannot be told. That there was one stays, so nothing is made twice. */
export async function eraseAnswers(tx: Queryable): Promise<void> {
  await tx.query(sql`update op.idempotent_answers set answer = '' where answer <> ''`);
}

/** Deletes at most `limit` that have expired; answers how many. */
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
