// Checks whether the server accepts writes now. Reading reveals that it is read-only; only writing
// reveals that its disk is full.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { Database } from './pool.ts';
import { flag, readValue } from './rows.ts';

/** True on a standby, and if an administrator made the database or the login read-only. */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const isReadOnly = await readValue(db, flag)`
    select current_setting('transaction_read_only')::boolean`;
  return isReadOnly ?? false;
}

/**
 * Fails with 53100 if the disk of the database has no room for about 3 MB. The rows do not fit in
 * `work_mem`, so the server writes them to a temporary file, which needs no privilege and is
 * deleted afterwards.
 */
export async function probeDisk(db: Database): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(sql`set local work_mem = '64kB'`);
    // On the disk of the database's tables.
    await tx.query(sql`set local temp_tablespaces = ''`);
    await tx.query(sql`select count(*) from generate_series(1, 100000)`);
  });
}
