// Erases names of principals from usage. Until then, names outlive the principals
// (migrations/0003-operations.sql).

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { Database } from '../pool.ts';
import { lockSums } from './sums/merge-sums.ts';
import { lockFolds } from './usage-rollups.ts';

const pageRows = 10_000;
const pagesMax = 100;

/**
 * Clears the name of a principal in its rows, and then in hours and sums, which are made of rows.
 * Returns true if rows remain, because one call clears at most a million.
 */
export async function eraseUsageNames(db: Database, principalId: number): Promise<boolean> {
  for (let page = 0; page < pagesMax; page++) {
    const emptied: unknown[] = await db.query(sql`
      with due as (
        select id, at from op.usage_events
        where principal_id = ${principalId} and principal <> '' limit ${pageRows}
      )
      update op.usage_events held set principal = '' from due
      where held.id = due.id and held.at = due.at returning 1`);
    if (emptied.length < pageRows) {
      await db.tx((tx) => eraseSummedNames(tx, principalId));
      return false;
    }
  }
  return true;
}

/** Waits for roll-ups and merges, which would write the name again. */
async function eraseSummedNames(tx: Queryable, principalId: number): Promise<void> {
  await lockFolds(tx);
  await lockSums(tx);
  // The key of an hour includes the name. A random key is fine, because a deleted principal gets no
  // more usage.
  await tx.query(sql`
    update op.usage_hours set principal = '',
      key = sha256(convert_to(gen_random_uuid()::text, 'UTF8'))
    where principal_id = ${principalId} and principal <> ''`);
  await tx.query(sql`
    update op.usage_sums set principal = ''
    where principal_id = ${principalId} and principal <> ''`);
}
