// Defines pages of a list: a limited number of rows after the last one read, in the order of the
// list's key.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { integer, readValue } from '../../src/db/rows.ts';
import type { JournalTable } from './table.ts';

/** A null `after` starts the list. */
export type Page<Key> = Readonly<{ after: Key | null; limit: number }>;

/** For a table that only grows. */
const countedMax = 100_000;

/** Null if there are more. */
export async function countUpTo(db: Queryable, { name }: JournalTable): Promise<number | null> {
  const counted = await readValue(db, integer)`
    select count(*) from (select from ${sql.ident(name)} limit ${countedMax + 1}) counted`;
  const rows = counted ?? 0;
  return rows > countedMax ? null : rows;
}
