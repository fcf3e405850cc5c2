// Stores from when on there are sums by minute, and rows.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRow, time } from '../../rows.ts';

const horizons = z.object({ minutes_from: time, rows_from: time });
type Horizons = Readonly<z.output<typeof horizons>>;

export async function readHorizons(db: Queryable): Promise<Horizons> {
  const found = await readRow(db, horizons)`select minutes_from, rows_from from op.usage_horizons`;
  if (found === null) throw new Error('op.usage_horizons has no row');
  return found;
}

/** A horizon never moves back. */
export async function moveHorizon(db: Queryable, name: keyof Horizons, to: Date): Promise<void> {
  const column = sql.ident(name);
  await db.query(sql`
    update op.usage_horizons set ${column} = ${to.toISOString()}::timestamptz
    where ${column} < ${to.toISOString()}::timestamptz`);
}

/** Deletes sums below an hour. Reports that have just read an earlier horizon still find theirs. */
export const deleteMinutes = (db: Queryable): Promise<unknown> =>
  db.query(sql`
    delete from op.usage_sums where precision in ('minute', 'five_minutes') and not is_pending
      and period < (select minutes_from from op.usage_horizons) - interval '1 hour'`);
