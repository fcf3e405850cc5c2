// What a restore asks of the database: which items of the vault are erased, and what became of keys, passwords and identities since.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

/** Of these refs, those whose item is erased, or is not there. */
export async function erasedRefs(db: Queryable, refs: readonly string[]): Promise<string[]> {
  if (refs.length === 0) return [];
  const rows: { ref: string }[] = await db.query(sql`
    select ref from unnest(${[...refs]}::uuid[]) as asked (ref)
    where not exists (
      select from vault.items where items.ref = asked.ref and items.body is not null)`);
  return rows.map(({ ref }) => ref);
}

/** `ref` is null for the events of keys and tokens. */
export type AccessEvent = Readonly<{
  type: 'ApiKeyRevoked' | 'ApiKeyEnabled' | 'AdminTokenRevoked' | 'PrincipalPasswordSet';
  id: number;
  ref: string | null;
}>;

/** In log order, those behind the position `after`. */
export const accessEventsSince = (db: Queryable, after: number): Promise<AccessEvent[]> =>
  db.query(sql`
    select type, (payload ->> 'id')::bigint as id, payload ->> 'password_ref' as ref
    from es.events
    where position > ${after}
      and type in
        ('ApiKeyRevoked', 'ApiKeyEnabled', 'AdminTokenRevoked', 'PrincipalPasswordSet')
    order by position`);

/** Null `fingerprint`: the principal's identity was unlinked. */
export type IdentityEvent = Readonly<{ id: number; fingerprint: string | null }>;

/** In log order, those behind the position `after`. */
export const identityEventsSince = (db: Queryable, after: number): Promise<IdentityEvent[]> =>
  db.query(sql`
    select (payload ->> 'id')::bigint as id, payload -> 'identity' ->> 'fingerprint' as fingerprint
    from es.events
    where position > ${after}
      and type in ('PrincipalIdentityLinked', 'PrincipalIdentityUnlinked')
    order by position`);
