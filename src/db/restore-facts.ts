// Reads facts for a restore: which vault items were erased, and which keys, passwords and
// identities have changed since.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, readValues, text } from './rows.ts';

/** The refs whose item was erased or does not exist. */
export async function erasedRefs(db: Queryable, refs: readonly string[]): Promise<string[]> {
  if (refs.length === 0) return [];
  return readValues(db, text)`
    select ref from unnest(${[...refs]}::uuid[]) as asked (ref)
    where not exists (
      select from vault.items where items.ref = asked.ref and items.body is not null)`;
}

/** `ref` is null for events of keys and tokens. */
const accessEvent = z.object({
  type: z.enum(['ApiKeyRevoked', 'ApiKeyEnabled', 'AdminTokenRevoked', 'PrincipalPasswordSet']),
  id: integer,
  ref: text.nullable(),
});
export type AccessEvent = Readonly<z.output<typeof accessEvent>>;

/** In log order. */
export const accessEventsSince = (db: Queryable, after: number): Promise<AccessEvent[]> =>
  readRows(db, accessEvent)`
    select type, (payload ->> 'id')::bigint as id, payload ->> 'password_ref' as ref
    from es.events
    where position > ${after}
      and type in
        ('ApiKeyRevoked', 'ApiKeyEnabled', 'AdminTokenRevoked', 'PrincipalPasswordSet')
    order by position`;

/** `fingerprint` is null if the principal's identity was unlinked. */
const identityEvent = z.object({ id: integer, fingerprint: text.nullable() });
export type IdentityEvent = Readonly<z.output<typeof identityEvent>>;

/** In log order. */
export const identityEventsSince = (db: Queryable, after: number): Promise<IdentityEvent[]> =>
  readRows(db, identityEvent)`
    select (payload ->> 'id')::bigint as id, payload -> 'identity' ->> 'fingerprint' as fingerprint
    from es.events
    where position > ${after}
      and type in ('PrincipalIdentityLinked', 'PrincipalIdentityUnlinked')
    order by position`;
