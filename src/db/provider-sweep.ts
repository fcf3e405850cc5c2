// Whose turn it is to sweep the providers: a row that is held for a while, so that a control plane that ends in the middle of a sweep
// blocks nobody. It holds no connection, as an advisory lock of a session would.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

/** `begunAt` names the turn; `previousAt` is when the last one began, null when none has. */
export type SweepTurn = Readonly<{ begunAt: Date; previousAt: Date | null }>;

type Claim = Readonly<{ now: Date; heldUntil: Date; notSince: Date }>;

/** Null when another one is at work, or when a sweep began later than `notSince`. */
export async function takeSweepTurn(
  db: Queryable,
  { now, heldUntil, notSince }: Claim,
): Promise<SweepTurn | null> {
  const [taken]: { previousAt: Date | null }[] = await db.query(sql`
    update op.provider_sweep held set begun_at = ${now}, held_until = ${heldUntil}
    from (select nullif(begun_at, '-infinity') as begun_at from op.provider_sweep for update) before
    where held.begun_at <= ${notSince} and held.held_until <= ${now}
    returning before.begun_at as "previousAt"`);
  return taken === undefined ? null : { begunAt: now, previousAt: taken.previousAt };
}

/** Holds the turn until then, or gives it back; nothing when it is another one's by now. */
export const holdSweepTurn = (
  db: Queryable,
  { begunAt, until }: Readonly<{ begunAt: Date; until: Date }>,
): Promise<unknown> =>
  db.query(sql`update op.provider_sweep set held_until = ${until} where begun_at = ${begunAt}`);
