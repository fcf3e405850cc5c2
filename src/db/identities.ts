// Reads the history of identities from the log, including identities that are linked with no
// principal now.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRows, text, time } from './rows.ts';

const linkedIdentity = z.object({ ref: text, at: time });

/** By ref. A restored identity keeps the time at which it was first linked. */
export async function linkedSince(
  db: Queryable,
  refs: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (refs.length === 0) return new Map();
  const rows = await readRows(db, linkedIdentity)`
    select payload -> 'identity' ->> 'ref' as ref, min(recorded_at) as at from es.events
    where type = 'PrincipalIdentityLinked' and payload -> 'identity' ->> 'ref' = any(${[...refs]})
    group by 1`;
  return new Map(rows.map(({ ref, at }) => [ref, at]));
}

/** Includes deleted principals. */
export async function wasLinked(db: Queryable, fingerprint: string): Promise<boolean> {
  const rows: unknown[] = await db.query(sql`
    select 1 from es.events
    where type = 'PrincipalIdentityLinked'
      and payload -> 'identity' ->> 'fingerprint' = ${fingerprint}
    limit 1`);
  return rows.length > 0;
}

/**
 * True if someone unlinked the identity from the principal of this stream, or deleted the principal
 * (a restore may have created it again without the identity), and the principal was not renamed or
 * given another address since. Then a first sign-in would match on old data.
 */
export async function wasTaken(
  db: Queryable,
  { stream, fingerprint }: Readonly<{ stream: string; fingerprint: string }>,
): Promise<boolean> {
  const rows: unknown[] = await db.query(sql`
    select 1 from es.events taken
    where taken.stream = ${stream}
      and taken.type in ('PrincipalIdentityUnlinked', 'PrincipalDeleted')
      and ${fingerprint} = (
        select linked.payload -> 'identity' ->> 'fingerprint' from es.events linked
        where linked.stream = taken.stream and linked.position < taken.position
          and linked.type = 'PrincipalIdentityLinked'
        order by linked.position desc limit 1)
      and not exists (
        select from es.events given
        where given.stream = taken.stream and given.position > taken.position
          and given.type in ('PrincipalRenamed', 'PrincipalEmailSet'))
    limit 1`);
  return rows.length > 0;
}
