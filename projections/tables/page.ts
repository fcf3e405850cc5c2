// A page of a list: at most so many rows behind the last one held, in the order of the list's key.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { integer, readValue } from '../../src/db/rows.ts';
import type { EntityTable, JournalTable } from './table.ts';

/** `after` null begins the list. */
export type Page<Key> = Readonly<{ after: Key | null; limit: number }>;

export async function countRows(db: Queryable, { name }: EntityTable): Promise<number> {
  const rows = await readValue(db, integer)`select count(*) from ${sql.ident(name)}`;
  return rows ?? 0;
}

/** So far the rows of a table are counted that only grows. */
const countedMax = 100_000;

/** Null for more than are counted. */
export async function countUpTo(db: Queryable, { name }: JournalTable): Promise<number | null> {
  const counted = await readValue(db, integer)`
    select count(*) from (select from ${sql.ident(name)} limit ${countedMax + 1}) counted`;
  const rows = counted ?? 0;
  return rows > countedMax ? null : rows;
}
