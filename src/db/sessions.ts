// Sessions in the database: found by the SHA-256 of their token, ended by token, by principal or all at once.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { greaterThan } from '@databases/pg-typed';

import type { PrincipalId } from '../lib/ids.ts';
import { principalId } from '../lib/ids.ts';
import { operations } from './operations.ts';

export type StoredSession = Readonly<{
  tokenDigest: Buffer;
  principalId: PrincipalId;
  createdAt: Date;
  expiresAt: Date;
}>;

export async function insertSession(db: Queryable, session: StoredSession): Promise<void> {
  await operations.sessions(db).insert({
    token_digest: session.tokenDigest,
    principal_id: session.principalId,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
  });
}

/** The principal whose session it is, unless the session has expired. */
export async function findSession(
  db: Queryable,
  { tokenDigest, now }: { tokenDigest: Buffer; now: Date },
): Promise<PrincipalId | null> {
  const found = await operations
    .sessions(db)
    .findOne({ token_digest: tokenDigest, expires_at: greaterThan(now) });
  return found === null ? null : principalId.parse(found.principal_id);
}

export const deleteSession = (db: Queryable, tokenDigest: Buffer): Promise<void> =>
  operations.sessions(db).delete({ token_digest: tokenDigest });

export const deleteSessionsOf = (db: Queryable, principal: PrincipalId): Promise<void> =>
  operations.sessions(db).delete({ principal_id: principal });

/** Answers how many it deleted. */
export async function deleteExpiredSessions(db: Queryable, now: Date): Promise<number> {
  const rows: unknown[] = await db.query(
    sql`delete from op.sessions where expires_at <= ${now} returning 1`,
  );
  return rows.length;
}
