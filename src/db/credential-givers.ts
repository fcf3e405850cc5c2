// Who gave principals their passwords: the actors of the events that set them. Where that was a change request, its id stands in their
// place, for who applied one has not seen what is in it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ChangeRequestId, PrincipalId } from '../lib/ids.ts';

/** `actorId` null: at the command line, or by a change request that was due; that has its `requestId`. */
type SetPassword = Readonly<{
  principalId: PrincipalId;
  ref: string;
  actorId: PrincipalId | null;
  requestId: ChangeRequestId | null;
  /** Epoch milliseconds. */
  at: number;
}>;

/** All there ever were, in log order. */
export const passwordsSet = (db: Queryable): Promise<SetPassword[]> =>
  db.query(sql`
    select (given.payload ->> 'id')::bigint as "principalId",
      given.payload ->> 'password_ref' as ref,
      (given.metadata -> 'actor' ->> 'principal_id')::bigint as "actorId",
      (applied.payload ->> 'id')::bigint as "requestId",
      (extract(epoch from given.recorded_at) * 1000)::bigint as at
    from es.events given
    left join es.events applied
      on applied.tx_id = given.tx_id and applied.type = 'ChangeRequestApplied'
    where given.type = 'PrincipalPasswordSet'
    order by given.position`);
