// The events that granted what is held: the last grant of each role to each principal, and of each permission to each role.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { EventMetadata } from '../../events/event.ts';

/** A grant of a role has `role_id`, one of a permission to the role of the stream has `verb` and `resource`. */
export type GrantEvent = Readonly<{
  position: number;
  stream: string;
  role_id: number | null;
  resource: string | null;
  recorded_at: Date;
  actor_kind: EventMetadata['actor']['kind'];
  actor_id: number | null;
}>;

/** Up to and with `position`. What was revoked behind its last grant is in it too. */
export const lastGrants = (db: Queryable, position: number): Promise<GrantEvent[]> =>
  db.query(sql`
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
    order by stream, payload ->> 'role_id', payload ->> 'resource', position desc`);

/** When the event at `position` was recorded, epoch milliseconds; 0 when there is none. */
export async function timeOf(db: Queryable, position: number): Promise<number> {
  const [row]: { recorded_at: Date }[] = await db.query(
    sql`select recorded_at from es.events where position = ${position}`,
  );
  return row?.recorded_at.getTime() ?? 0;
}
