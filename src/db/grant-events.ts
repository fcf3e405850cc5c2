// Reads the last grant of each role to each principal, and of each permission to each role.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { eventMetadata } from '../../events/event.ts';
import { integer, readRows, readValue, text, time } from './rows.ts';

/**
 * A grant of a role has `role_id`. A grant of a permission to the stream's role has `verb` and
 * `resource`.
 */
const grantEvent = z.object({
  position: integer,
  stream: text,
  role_id: integer.nullable(),
  resource: text.nullable(),
  recorded_at: time,
  actor_kind: eventMetadata.shape.actor.shape.kind,
  actor_id: integer.nullable(),
});
export type GrantEvent = Readonly<z.output<typeof grantEvent>>;

/** Includes grants that were revoked later. */
export const lastGrants = (db: Queryable, position: number): Promise<GrantEvent[]> =>
  readRows(db, grantEvent)`
    select distinct on (stream, payload ->> 'role_id', payload ->> 'resource')
      position, stream, (payload ->> 'role_id')::bigint as role_id,
      payload ->> 'resource' as resource, recorded_at,
      metadata -> 'actor' ->> 'kind' as actor_kind,
      (metadata -> 'actor' ->> 'principal_id')::bigint as actor_id
    from es.events
    where position <= ${position}
      -- In the words of the index over these events, however long the log is.
      and type in ('PrincipalRoleGranted', 'RolePermissionGranted')
      and (type = 'PrincipalRoleGranted' or payload ->> 'verb' = 'model:invoke')
    order by stream, payload ->> 'role_id', payload ->> 'resource', position desc`;

/** Epoch milliseconds; 0 if there is no such event. */
export async function timeOf(db: Queryable, position: number): Promise<number> {
  const recordedAt = await readValue(db, time)`
    select recorded_at from es.events where position = ${position}`;
  return recordedAt?.getTime() ?? 0;
}
