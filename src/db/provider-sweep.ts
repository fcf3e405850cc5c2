// Whose turn it is to sweep the providers: a row that is held for a while, so that a control plane that ends in the middle of a sweep
// blocks nobody. It holds no connection, as an advisory lock of a session would.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRow, time } from './rows.ts';

/** `begunAt` names the turn; `watchedUntil` is when the one before was over, or given up for lost; null when there was none. */
export type SweepTurn = Readonly<{ begunAt: Date; watchedUntil: Date | null }>;

type Claim = Readonly<{ now: Date; heldUntil: Date; notSince: Date }>;

const takenTurn = z.object({ watchedUntil: time.nullable() });

/** Null when another one is at work, or when a sweep began later than `notSince`. */
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

/** Holds the turn until then, or gives it back; nothing when it is another one's by now. */
export const holdSweepTurn = (
  db: Queryable,
  { begunAt, until }: Readonly<{ begunAt: Date; until: Date }>,
): Promise<unknown> =>
  db.query(sql`update op.provider_sweep set held_until = ${until} where begun_at = ${begunAt}`);
