// Who gave a principal its credential: the actors of the events that set or made it. Where that was a change request, the ids of such
// requests stand in their place, for who applied one has not seen what is in it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ChangeRequestId, PrincipalId } from '../lib/ids.ts';

/** Both null: it was given at the command line, or by the program. */
export type Giver = Readonly<{
  actorId: PrincipalId | null;
  requestId: ChangeRequestId | null;
}>;

/** `ref` is that of a password or of the verifier of a key. */
export const credentialGivers = (
  db: Queryable,
  { stream, ref }: Readonly<{ stream: string; ref: string }>,
): Promise<Giver[]> =>
  db.query(sql`
    select distinct case when applied.tx_id is null
        then (given.metadata -> 'actor' ->> 'principal_id')::bigint end as "actorId",
      (applied.payload ->> 'id')::bigint as "requestId"
    from es.events given
    left join es.events applied
      on applied.tx_id = given.tx_id and applied.type = 'ChangeRequestApplied'
    where given.stream = ${stream}
      and given.type in ('PrincipalPasswordSet', 'ApiKeyCreated')
      and coalesce(given.payload ->> 'password_ref', given.payload ->> 'verifier_ref') = ${ref}`);
