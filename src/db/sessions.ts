// Stores sessions by the SHA-256 of their token. `password_ref` is the ref of the password or
// identity that opened the session.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { principalId } from '../lib/ids.ts';
import type { PrincipalId } from '../lib/ids.ts';
import { bytes, integer, readRow, readRows, text, time } from './rows.ts';

export type StoredSession = Readonly<{
  tokenDigest: Buffer;
  principalId: PrincipalId;
  credentialRef: string;
  createdAt: Date;
  expiresAt: Date;
  /** See session-seal.ts. */
  seal: Buffer;
}>;

export async function insertSession(db: Queryable, session: StoredSession): Promise<void> {
  await db.query(sql`
    insert into op.sessions (token_digest, principal_id, password_ref, created_at, expires_at, seal)
    values (${session.tokenDigest}, ${session.principalId}, ${session.credentialRef},
      ${session.createdAt}, ${session.expiresAt}, ${session.seal})`);
}

const foundSession = z.object({
  principalId,
  credentialRef: text.nullable(),
  createdAt: time,
  expiresAt: time,
  /** Null if an earlier release began the session. */
  seal: bytes.nullable(),
  /** The head of the log. A process must have read up to it to validate the session. */
  headPosition: integer,
  headHash: text,
  /** The position of the read models in the schema; null if there are none. */
  tablesPosition: integer.nullable(),
});
export type FoundSession = Readonly<z.output<typeof foundSession>>;

/** Null if there is no session or it has expired. */
export const findSession = (
  db: Queryable,
  { tokenDigest, now, schema }: { tokenDigest: Buffer; now: Date; schema: string },
): Promise<FoundSession | null> =>
  readRow(db, foundSession)`
    select principal_id as "principalId", password_ref as "credentialRef",
      created_at as "createdAt", expires_at as "expiresAt", seal,
      log_head.position as "headPosition", encode(log_head.hash, 'hex') as "headHash",
      (select position from es.read_models where schema_name = ${schema}) as "tablesPosition"
    from op.sessions, es.log_head
    where token_digest = ${tokenDigest} and expires_at > ${now}`;

export async function deleteSession(db: Queryable, tokenDigest: Buffer): Promise<void> {
  await db.query(sql`delete from op.sessions where token_digest = ${tokenDigest}`);
}

const sessionCount = foundSession
  .pick({ principalId: true, credentialRef: true })
  .extend({ sessions: integer });

/** Counts unexpired sessions with a seal. */
export const countSessions = (db: Queryable, now: Date) =>
  readRows(db, sessionCount)`
    select principal_id as "principalId", password_ref as "credentialRef",
      count(*)::bigint as sessions
    from op.sessions where expires_at > ${now} and seal is not null group by 1, 2`;

/** Returns the number of deleted sessions. */
export async function deleteAllSessions(db: Queryable): Promise<number> {
  const rows: unknown[] = await db.query(sql`delete from op.sessions returning 1`);
  return rows.length;
}

/** Returns the number of deleted sessions. */
export async function deleteExpiredSessions(
  db: Queryable,
  { now, limit }: Readonly<{ now: Date; limit: number }>,
): Promise<number> {
  const rows: unknown[] = await db.query(sql`
    delete from op.sessions where token_digest in (
      select token_digest from op.sessions where expires_at <= ${now} limit ${limit})
    returning 1`);
  return rows.length;
}
