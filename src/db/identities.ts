// What the log says of an identity that nobody is linked with now.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRows, text, time } from './rows.ts';

const linkedIdentity = z.object({ ref: text, at: time });

/** Since when identities are linked, by their refs. One that a restore brought back is as old as it was. */
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

/** Whether a principal, also one that is gone, was ever linked with it. */
export async function wasLinked(db: Queryable, fingerprint: string): Promise<boolean> {
  const rows: unknown[] = await db.query(sql`
    select 1 from es.events
    where type = 'PrincipalIdentityLinked'
      and payload -> 'identity' ->> 'fingerprint' = ${fingerprint}
    limit 1`);
  return rows.length > 0;
}

/**
 * Whether somebody took it from the principal of this stream, by unlinking it or by deleting that one, which a restore may have brought
 * back without it; and has neither named nor addressed the principal since: what a first login finds it by is from before.
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
