// Assigns each endpoint to one control plane at a time, by a row that is held for a limited time: a
// crash during a delivery blocks no endpoint, and two processes never deliver to the same one.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readValues, text, time } from '../rows.ts';

/** `holder` is new for each turn. */
export type Turn = Readonly<{ endpointId: number; holder: string }>;

type Claim = Readonly<{ endpointIds: readonly number[]; holder: string; now: Date; until: Date }>;

/** Takes the turns of those endpoints that have a delivery due and that no process holds. */
export const takeTurns = (
  db: Queryable,
  { endpointIds, holder, now, until }: Claim,
): Promise<number[]> =>
  readValues(db, integer)`
    with due as (
      select turn.endpoint_id from op.webhook_turns turn
      cross join lateral (
        select next_attempt_at from op.webhook_deliveries
        where endpoint_id = turn.endpoint_id and state = 'pending' order by id limit 1
      ) head
      where turn.endpoint_id = any(${[...endpointIds]}::bigint[])
        and turn.held_until <= ${now} and head.next_attempt_at <= ${now}
      order by turn.endpoint_id for update of turn skip locked
    )
    update op.webhook_turns turn set holder = ${holder}::uuid, held_until = ${until}
    from due where turn.endpoint_id = due.endpoint_id
    returning turn.endpoint_id`;

const dueDelivery = z.object({
  id: integer,
  notificationId: text,
  attempts: integer,
  retryUntil: time,
  type: text,
  at: time,
  data: z.unknown(),
});
/** `attempts` counts the earlier attempts. */
export type DueDelivery = Readonly<z.output<typeof dueDelivery>>;

/**
 * Extends the turn and returns the endpoint's oldest pending delivery if it is due. Null if there
 * is none, or if the turn ended in the meantime.
 */
export const nextInTurn = (
  db: Queryable,
  { endpointId, holder, now, until }: Turn & Readonly<{ now: Date; until: Date }>,
): Promise<DueDelivery | null> =>
  readRow(db, dueDelivery)`
    with extended as (
      update op.webhook_turns set held_until = ${until}
      where endpoint_id = ${endpointId} and holder = ${holder}::uuid and held_until > ${now}
      returning endpoint_id
    ), head as (
      select delivery.* from extended cross join lateral (
        select * from op.webhook_deliveries
        where endpoint_id = extended.endpoint_id and state = 'pending' order by id limit 1
      ) delivery
    )
    select head.id, head.notification_id::text as "notificationId", attempts,
      retry_until as "retryUntil", type, at, data
    from head join op.notifications on notifications.id = head.notification_id
    where next_attempt_at <= ${now}`;

/** Does nothing if another process has the turn by now. */
export const endTurn = (db: Queryable, { endpointId, holder }: Turn): Promise<unknown> =>
  db.query(sql`
    update op.webhook_turns set held_until = '-infinity'
    where endpoint_id = ${endpointId} and holder = ${holder}::uuid`);
