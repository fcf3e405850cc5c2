// Erases names of principals from usage. Until then, names outlive the principals
// (migrations/0003-operations.sql).

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

const pageRows = 10_000;
const pagesMax = 100;

/**
 * Clears the name of a principal in its rows, hours and sums. Returns true if rows remain, because one
 * call clears at most a million.
 */
export async function eraseUsageNames(db: Queryable, principalId: number): Promise<boolean> {
  // The key of an hour includes the name. A random key is fine, because a deleted principal gets no
  // more usage.
  await db.query(sql`
    update op.usage_hours set principal = '',
      key = sha256(convert_to(gen_random_uuid()::text, 'UTF8'))
    where principal_id = ${principalId} and principal <> ''`);
  await db.query(sql`
    update op.usage_sums set principal = ''
    where principal_id = ${principalId} and principal <> ''`);
  for (let page = 0; page < pagesMax; page++) {
    const emptied: unknown[] = await db.query(sql`
      with due as (
        select id, at from op.usage_events
        where principal_id = ${principalId} and principal <> '' limit ${pageRows}
      )
      update op.usage_events held set principal = '' from due
      where held.id = due.id and held.at = due.at returning 1`);
    if (emptied.length < pageRows) return false;
  }
  return true;
}
