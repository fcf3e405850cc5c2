// Stores what became of each delivery to a webhook endpoint: the second half of the outbox.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { deliveryState } from '../../lib/vocabulary.ts';
import type { DeliveryState } from '../../lib/vocabulary.ts';
import { storableJson } from '../../lib/text.ts';
import { integer, readRow, readRows, text, time } from '../rows.ts';

/**
 * The result of an attempt. `status` is null without an answer, `error` if the delivery was
 * accepted. `nextAttemptAt` is null if no further attempt follows.
 */
export type Attempt = Readonly<{
  id: number;
  at: Date;
  status: number | null;
  error: string | null;
  nextAttemptAt: Date | null;
}>;

export async function recordAttempt(
  db: Queryable,
  { id, at, status, error, nextAttemptAt }: Attempt,
): Promise<void> {
  const state: DeliveryState =
    error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'pending';
  await db.query(sql`
    update op.webhook_deliveries set state = ${state}, attempts = attempts + 1,
      attempted_at = ${at}, status = ${status}, error = ${error},
      next_attempt_at = coalesce(${nextAttemptAt}, next_attempt_at)
    where id = ${id}`);
}

const deliveryRow = z.object({
  id: integer,
  notification_id: text,
  type: text,
  at: time,
  state: deliveryState,
  queued_at: time,
  attempts: integer,
  attempted_at: time.nullable(),
  status: integer.nullable(),
  error: text.nullable(),
  next_attempt_at: time,
});
export type DeliveryRow = Readonly<z.output<typeof deliveryRow>>;

type Listed = Readonly<{
  endpointId: number;
  state: DeliveryState | null;
  /** Only those with a smaller id; null starts with the newest. */
  before: number | null;
  limit: number;
}>;

/** Sorted newest first. */
export const listDeliveries = (
  db: Queryable,
  { endpointId, state, before, limit }: Listed,
): Promise<DeliveryRow[]> =>
  readRows(db, deliveryRow)`
    select delivery.id, notification_id::text, type, at, state, queued_at, attempts, attempted_at,
      status, error, next_attempt_at
    from op.webhook_deliveries delivery
    join op.notifications on notifications.id = notification_id
    where endpoint_id = ${endpointId} and (${state}::text is null or state = ${state})
      and (${before}::bigint is null or delivery.id < ${before})
    order by delivery.id desc limit ${limit}`;

type Again = Readonly<{ endpointId: number; id: number; at: Date; retryUntil: Date }>;

/** Makes the delivery pending again, with its id. False if there is none. */
export async function resendDelivery(
  db: Queryable,
  { endpointId, id, at, retryUntil }: Again,
): Promise<boolean> {
  const changed: unknown[] = await db.query(sql`
    update op.webhook_deliveries
    set state = 'pending', queued_at = ${at}, next_attempt_at = ${at}, retry_until = ${retryUntil}
    where id = ${id} and endpoint_id = ${endpointId} returning 1`);
  return changed.length === 1;
}

type Direct = Readonly<{
  endpointId: number;
  notificationId: string;
  type: string;
  data: unknown;
  at: Date;
  retryUntil: Date;
}>;

const insertedId = z.object({ id: integer });

/** Queues a notification for one endpoint alone. Returns the id of the delivery. */
export async function insertDirectDelivery(db: Queryable, given: Direct): Promise<number> {
  const { endpointId, notificationId, type, data, at, retryUntil } = given;
  const row = await readRow(db, insertedId)`
    with told as (
      insert into op.notifications (id, type, at, data, is_passed_on, routed_at)
      values (${notificationId}::uuid, ${type}, ${at}, ${storableJson(data)}::jsonb, true, ${at})
      returning id
    ), turn as (
      insert into op.webhook_turns (endpoint_id, held_until) values (${endpointId}, '-infinity')
      on conflict do nothing
    )
    insert into op.webhook_deliveries
      (endpoint_id, notification_id, state, queued_at, next_attempt_at, retry_until)
    select ${endpointId}, id, 'pending', ${at}, ${at}, ${retryUntil} from told returning id`;
  if (row === null) throw new Error('an inserted delivery has no id');
  return row.id;
}

type Expired = Readonly<{
  before: Date;
  /** Deliveries of other endpoints are deleted if they were queued before `orphanedBefore`. */
  endpointIds: readonly number[];
  orphanedBefore: Date;
  limit: number;
}>;

/**
 * Deletes old deliveries and those of deleted endpoints, then notifications without deliveries.
 * Returns the number of deleted rows, at most `limit` of each.
 */
export async function deleteExpired(
  db: Queryable,
  { before, endpointIds, orphanedBefore, limit }: Expired,
): Promise<number> {
  const deliveries: unknown[] = await db.query(sql`
    delete from op.webhook_deliveries where id in (
      select id from op.webhook_deliveries
      where queued_at < ${before}
        or (queued_at < ${orphanedBefore}
          and not (endpoint_id = any(${[...endpointIds]}::bigint[])))
      limit ${limit})
    returning 1`);
  const notifications: unknown[] = await db.query(sql`
    delete from op.notifications where id in (
      select id from op.notifications told
      where coalesce(routed_at, at) < ${before} and not exists (
        select from op.webhook_deliveries where notification_id = told.id)
      limit ${limit})
    returning 1`);
  await db.query(sql`
    delete from op.webhook_turns turn where not (endpoint_id = any(${[...endpointIds]}::bigint[]))
      and not exists (
        select from op.webhook_deliveries where endpoint_id = turn.endpoint_id)`);
  return deliveries.length + notifications.length;
}

const queueSize = z.object({
  endpointId: integer,
  pending: integer,
  dropped: integer,
  oldest: time.nullable(),
});
/** `oldest` is when the oldest pending delivery was queued. */
export type QueueSize = Readonly<z.output<typeof queueSize>>;

/** Endpoints that never had a delivery are omitted. */
export const readQueueSizes = (db: Queryable): Promise<QueueSize[]> =>
  readRows(db, queueSize)`
    select turn.endpoint_id as "endpointId", dropped, pending.count as pending, pending.oldest
    from op.webhook_turns turn cross join lateral (
      select count(*), min(queued_at) as oldest from op.webhook_deliveries
      where endpoint_id = turn.endpoint_id and state = 'pending'
    ) pending order by turn.endpoint_id`;
