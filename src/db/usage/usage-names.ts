// Names of principals in usage, which outlive what they name (migrations/0003-operations.sql) until they are erased.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

const pageRows = 10_000;
const pagesMax = 100;

/** Empties the name of a principal in its rows and hours. Answers whether rows are left, which a million at once may leave. */
export async function eraseUsageNames(db: Queryable, principalId: number): Promise<boolean> {
  // The key of an hour is made of the name too: any other will do, because nothing is added to an hour of a principal that is gone.
  await db.query(sql`
    update op.usage_hours set principal = '',
      key = sha256(convert_to(gen_random_uuid()::text, 'UTF8'))
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
