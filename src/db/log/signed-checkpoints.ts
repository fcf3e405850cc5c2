// Stores signed checkpoints of the log: one note per position, never changed.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readRows, text, time } from '../rows.ts';

const signedCheckpoint = z.object({ position: integer, note: text, created_at: time });
export type SignedCheckpoint = Readonly<z.output<typeof signedCheckpoint>>;

/** Returns false if another replica has already written one for this position. */
export async function insertSignedCheckpoint(
  db: Queryable,
  { position, note, created_at }: SignedCheckpoint,
): Promise<boolean> {
  const added: unknown[] = await db.query(sql`
    insert into es.checkpoints (position, note, created_at)
    values (${position}, ${note}, ${created_at}) on conflict do nothing returning 1`);
  return added.length === 1;
}

export const lastSignedCheckpoint = (db: Queryable): Promise<SignedCheckpoint | null> =>
  readRow(db, signedCheckpoint)`
    select position, note, created_at from es.checkpoints order by position desc limit 1`;

/** Those after `after`, up to and including `to`, oldest first. */
export const listSignedCheckpoints = (
  db: Queryable,
  { after, to, limit }: Readonly<{ after: number; to: number; limit: number }>,
): Promise<SignedCheckpoint[]> =>
  readRows(db, signedCheckpoint)`
    select position, note, created_at from es.checkpoints
    where position > ${after} and position <= ${to} order by position limit ${limit}`;
