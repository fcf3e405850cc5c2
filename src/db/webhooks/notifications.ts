// Stores notifications and makes their deliveries: the first half of the outbox of webhooks.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../pool.ts';
import { flag, integer, readRows, readValue, text, time } from '../rows.ts';

/** A row of op.notifications before its deliveries are made. */
const notificationRow = z.object({
  id: text,
  type: text,
  at: time,
  /** Another release may know other types. */
  data: z.unknown(),
  is_passed_on: flag,
});
export type NotificationRow = Readonly<z.output<typeof notificationRow>>;

/** Notifications whose deliveries are not made yet. Further ones are refused. */
export const unroutedMax = 10_000;

/** Returns the number of those that were stored. A repeated id is not stored again. */
export async function insertNotifications(
  db: Queryable,
  rows: readonly NotificationRow[],
): Promise<number> {
  const stored: unknown[] = await db.query(sql`
    insert into op.notifications (id, type, at, data, is_passed_on)
    select given.* from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ at }) => at)}::timestamptz[],
      ${rows.map(({ data }) => JSON.stringify(data))}::jsonb[],
      ${rows.map((row) => row.is_passed_on)}::boolean[]
    ) given (id, type, at, data, is_passed_on)
    where (select count(*) from op.notifications where routed_at is null) < ${unroutedMax}
    on conflict do nothing returning 1`);
  return stored.length;
}

/** Locked by the replica that makes deliveries, so that they get ids in the order of commits. */
const routingLock = 7_100_005;
/** The notifications of one transaction. */
const routedAtOnceMax = 500;

/** A delivery to be made. */
export type Routed = Readonly<{ endpointId: number; notificationId: string }>;
export type Routing = Readonly<{ deliveries: readonly Routed[]; at: Date; retryUntil: Date }>;

type Route = (waiting: readonly NotificationRow[]) => Routing;

/**
 * Makes the deliveries of waiting notifications, in one transaction. Returns the notifications;
 * null while another replica does this.
 */
export const routeNotifications = (
  db: Database,
  { route, queuedMax }: Readonly<{ route: Route; queuedMax: number }>,
): Promise<readonly NotificationRow[] | null> =>
  db.tx(async (tx) => {
    const isHeld = await readValue(tx, flag)`select pg_try_advisory_xact_lock(${routingLock})`;
    if (isHeld !== true) return null;
    const waiting = await readRows(tx, notificationRow)`
      select id::text, type, at, data, is_passed_on from op.notifications
      where routed_at is null order by seq limit ${routedAtOnceMax}`;
    if (waiting.length === 0) return waiting;
    const routing = route(waiting);
    await insertDeliveries(tx, routing, queuedMax);
    await tx.query(sql`
      update op.notifications set routed_at = ${routing.at}, is_passed_on = true
      where id = any(${waiting.map(({ id }) => id)}::uuid[])`);
    return waiting;
  });

const pendingCount = z.object({ endpointId: integer, pending: integer });

async function insertDeliveries(
  tx: Queryable,
  { deliveries, at, retryUntil }: Routing,
  queuedMax: number,
): Promise<void> {
  const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
  if (byEndpoint.size === 0) return;
  const ids = [...byEndpoint.keys()];
  const counts = await readRows(tx, pendingCount)`
    select endpoint_id as "endpointId", count(*) as pending from op.webhook_deliveries
    where state = 'pending' and endpoint_id = any(${ids}::bigint[]) group by endpoint_id`;
  const pending = new Map(counts.map((one) => [one.endpointId, one.pending]));
  const fitting = ids.flatMap((id) => {
    const room = Math.max(0, queuedMax - (pending.get(id) ?? 0));
    return (byEndpoint.get(id) ?? []).slice(0, room);
  });
  await tx.query(sql`
    insert into op.webhook_deliveries
      (endpoint_id, notification_id, state, queued_at, next_attempt_at, retry_until)
    select endpoint_id, notification_id, 'pending', ${at}, ${at}, ${retryUntil} from unnest(
      ${fitting.map(({ endpointId }) => endpointId)}::bigint[],
      ${fitting.map(({ notificationId }) => notificationId)}::uuid[]
    ) with ordinality given (endpoint_id, notification_id, place)
    order by place`);
  const stored = Map.groupBy(fitting, ({ endpointId }) => endpointId);
  const dropped = ids.map(
    (id) => (byEndpoint.get(id)?.length ?? 0) - (stored.get(id)?.length ?? 0),
  );
  await tx.query(sql`
    insert into op.webhook_turns as held (endpoint_id, held_until, dropped)
    select endpoint_id, '-infinity', dropped
    from unnest(${ids}::bigint[], ${dropped}::bigint[]) given (endpoint_id, dropped)
    order by endpoint_id
    on conflict (endpoint_id) do update set dropped = held.dropped + excluded.dropped`);
}
