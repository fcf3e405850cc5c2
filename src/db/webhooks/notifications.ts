// Stores notifications and makes their deliveries: the first half of the outbox of webhooks.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { storableJson } from '../../lib/text.ts';
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
const unroutedMax = 10_000;

/** Stores all of them, or returns false if too many wait. A repeated id is not stored again. */
export async function insertNotifications(
  db: Queryable,
  rows: readonly NotificationRow[],
): Promise<boolean> {
  const waiting = await readValue(db, integer)`
    select count(*) from op.notifications where routed_at is null`;
  if ((waiting ?? 0) >= unroutedMax) return false;
  await db.query(sql`
    insert into op.notifications (id, type, at, data, is_passed_on)
    select * from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ at }) => at)}::timestamptz[],
      ${rows.map(({ data }) => storableJson(data))}::jsonb[],
      ${rows.map((row) => row.is_passed_on)}::boolean[]
    ) on conflict do nothing`);
  return true;
}

/** Locked by the replica that makes deliveries, so that they get ids in the order of commits. */
const routingLock = 7_100_005;
/** The notifications of one transaction. */
const routedAtOnceMax = 500;

/** A delivery to be made. */
export type Routed = Readonly<{ endpointId: number; notificationId: string }>;
export type Routing = Readonly<{ deliveries: readonly Routed[]; at: Date; retryUntil: Date }>;

type Route = (waiting: readonly NotificationRow[]) => Routing;

type RoutingRules = Readonly<{
  /** Others wait for a control plane that knows their type. */
  types: readonly string[];
  route: Route;
  queuedMax: number;
}>;

/**
 * Makes the deliveries of waiting notifications, in one transaction. Returns the notifications;
 * none while another replica does this.
 */
export async function routeNotifications(
  db: Database,
  { types, route, queuedMax }: RoutingRules,
): Promise<readonly NotificationRow[]> {
  const isWaiting = await readValue(db, flag)`
    select exists (
      select from op.notifications where routed_at is null and type = any(${[...types]}::text[]))`;
  if (isWaiting !== true) return [];
  return db.tx(async (tx) => {
    const isHeld = await readValue(tx, flag)`select pg_try_advisory_xact_lock(${routingLock})`;
    if (isHeld !== true) return [];
    const waiting = await readRows(tx, notificationRow)`
      select id::text, type, at, data, is_passed_on from op.notifications
      where routed_at is null and type = any(${[...types]}::text[])
      order by seq limit ${routedAtOnceMax}`;
    if (waiting.length === 0) return [];
    const routing = route(waiting);
    await insertDeliveries(tx, routing, queuedMax);
    await tx.query(sql`
      update op.notifications set routed_at = ${routing.at}, is_passed_on = true
      where id = any(${waiting.map(({ id }) => id)}::uuid[])`);
    return waiting;
  });
}

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
