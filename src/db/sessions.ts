// Sessions in the database, found by the SHA-256 of their token. `password_ref` is the ref of the password or of the identity that began
// the session.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { PrincipalId } from '../lib/ids.ts';
import { operations } from './operations.ts';

export type StoredSession = Readonly<{
  tokenDigest: Buffer;
  principalId: PrincipalId;
  /** The ref of the password or of the identity that was given. */
  credentialRef: string;
  createdAt: Date;
  expiresAt: Date;
  /** See session-seal.ts. */
  seal: Buffer;
}>;

export async function insertSession(db: Queryable, session: StoredSession): Promise<void> {
  await operations.sessions(db).insert({
    token_digest: session.tokenDigest,
    principal_id: session.principalId,
    password_ref: session.credentialRef,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    seal: session.seal,
  });
}

export type FoundSession = Readonly<{
  principalId: PrincipalId;
  credentialRef: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** Null of a session that an earlier release began. */
  seal: Buffer | null;
  /** Where the head of the log stands, and its hash: anyone who judges the session must have read as far. */
  headPosition: number;
  headHash: string;
  /** Where the read models of the schema stand; null when there are none. */
  tablesPosition: number | null;
}>;

/** Null when there is none, or when it has expired. */
export async function findSession(
  db: Queryable,
  { tokenDigest, now, schema }: { tokenDigest: Buffer; now: Date; schema: string },
): Promise<FoundSession | null> {
  const [found]: FoundSession[] = await db.query(sql`
    select principal_id as "principalId", password_ref as "credentialRef",
      created_at as "createdAt", expires_at as "expiresAt", seal,
      log_head.position as "headPosition", encode(log_head.hash, 'hex') as "headHash",
      (select position from es.read_models where schema_name = ${schema}) as "tablesPosition"
    from op.sessions, es.log_head
    where token_digest = ${tokenDigest} and expires_at > ${now}`);
  return found ?? null;
}

export const deleteSession = (db: Queryable, tokenDigest: Buffer): Promise<void> =>
  operations.sessions(db).delete({ token_digest: tokenDigest });

/** How many have a seal and have not expired, by whose they are and what began them. */
export const countSessions = (
  db: Queryable,
  now: Date,
): Promise<(Pick<FoundSession, 'principalId' | 'credentialRef'> & { sessions: number })[]> =>
  db.query(sql`
    select principal_id as "principalId", password_ref as "credentialRef",
      count(*)::bigint as sessions
    from op.sessions where expires_at > ${now} and seal is not null group by 1, 2`);

/** Answers how many there were. */
export async function deleteAllSessions(db: Queryable): Promise<number> {
  const rows: unknown[] = await db.query(sql`delete from op.sessions returning 1`);
  return rows.length;
}

/** Deletes at most `limit` of those that have expired; answers how many. */
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
