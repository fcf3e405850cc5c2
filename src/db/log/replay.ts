// Copies a log into an empty database: its identity, its encrypted vault, and the database rows
// that its events need.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, readValue, text } from '../rows.ts';

/**
 * `hash` is that of the log's beginning. Returns false if the log is not empty. Requires the owner
 * of the database.
 */
export async function adoptLog(
  tx: Queryable,
  { logId, hash }: Readonly<{ logId: string; hash: Uint8Array }>,
): Promise<boolean> {
  const adopted: unknown[] = await tx.query(sql`
    update es.log_head set log_id = ${logId}, hash = ${Buffer.from(hash)}
    where position = 0 returning 1`);
  return adopted.length === 1;
}

/** Counts items that are missing or erased. */
export async function countMissing(db: Queryable, refs: readonly string[]): Promise<number> {
  const held = await readValue(db, integer)`
    select count(*) from vault.items
    where ref = any(${[...refs]}::uuid[]) and body is not null`;
  return new Set(refs).size - (held ?? 0);
}

const vaultRow = z.object({ ref: text, row: text });

/** Still encrypted, as JSON, in order of ref. */
export const readVaultRows = (
  db: Queryable,
  { after, limit }: Readonly<{ after: string; limit: number }>,
) =>
  readRows(db, vaultRow)`
    select ref::text as ref, to_json(items)::text as row from vault.items items
    where ref > ${after}::uuid order by ref limit ${limit}`;

/** `rows` is a JSON array of results of `readVaultRows`. */
export const insertVaultRows = (tx: Queryable, rows: string): Promise<unknown> =>
  tx.query(sql`
    insert into vault.items
    select * from json_populate_recordset(null::vault.items, ${rows}::json)`);
