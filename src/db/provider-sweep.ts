// Assigns the sweep of providers to one control process at a time by a lease row, so that a crash
// during a sweep blocks no one. Unlike an advisory lock, it occupies no connection.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRow, time } from './rows.ts';

/**
 * `begunAt` identifies the turn. `watchedUntil` is when the previous turn ended or timed out; null
 * if there was none.
 */
export type SweepTurn = Readonly<{ begunAt: Date; watchedUntil: Date | null }>;

type Claim = Readonly<{ now: Date; heldUntil: Date; notSince: Date }>;

const takenTurn = z.object({ watchedUntil: time.nullable() });

/** Null if another process holds the turn, or if a sweep began later than `notSince`. */
export async function takeSweepTurn(
  db: Queryable,
  { now, heldUntil, notSince }: Claim,
): Promise<SweepTurn | null> {
  const taken = await readRow(db, takenTurn)`
    update op.provider_sweep held set begun_at = ${now}, held_until = ${heldUntil}
    from (
      select nullif(greatest(begun_at, held_until), '-infinity') as watched_until
      from op.provider_sweep for update
    ) before
    where held.begun_at <= ${notSince} and held.held_until <= ${now}
    returning before.watched_until as "watchedUntil"`;
  return taken === null ? null : { begunAt: now, watchedUntil: taken.watchedUntil };
}

/** Extends or releases the turn. Does nothing if another process has it by now. */
export const holdSweepTurn = (
  db: Queryable,
  { begunAt, until }: Readonly<{ begunAt: Date; until: Date }>,
): Promise<unknown> =>
  db.query(sql`update op.provider_sweep set held_until = ${until} where begun_at = ${begunAt}`);
