// Stores which numbers of usage rows each proxy process has assigned, and which of them were received or dropped.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { DropReason } from '../../usage/row-number.ts';
import { integer, readRows, text } from '../rows.ts';

/** A process of a replica. */
export type Run = Readonly<{ replica: string; run: string }>;

/** Consecutive numbers, both ends included. */
export type Numbers = Run & Readonly<{ first: number; last: number }>;

/** Adds numbers of stored rows. Locks runs in order, so that batches with the same runs cannot deadlock. */
export async function addReceived(
  tx: Queryable,
  received: readonly Numbers[],
  at: Date,
): Promise<void> {
  if (received.length === 0) return;
  await tx.query(sql`
    insert into op.usage_runs as held (replica, run, received, assigned, assigned_at)
    select replica, run, range_agg(int8range(first, last, '[]')), max(last),
      ${at.toISOString()}::timestamptz
    from unnest(
      ${received.map((one) => one.replica)}::text[], ${received.map((one) => one.run)}::text[],
      ${received.map((one) => one.first)}::bigint[], ${received.map((one) => one.last)}::bigint[]
    ) as given (replica, run, first, last)
    group by replica, run order by replica, run
    on conflict (replica, run) do update set
      received = held.received + excluded.received,
      assigned = greatest(held.assigned, excluded.assigned),
      assigned_at = case when excluded.assigned > held.assigned then excluded.assigned_at
        else held.assigned_at end`);
}

export type Assigned = Run & Readonly<{ assigned: number }>;

/** Raises the highest numbers that processes are known to have assigned. Locks runs in order, as `addReceived` does. */
export async function raiseAssigned(
  tx: Queryable,
  senders: readonly Assigned[],
  at: Date,
): Promise<void> {
  if (senders.length === 0) return;
  await tx.query(sql`
    insert into op.usage_runs as held (replica, run, assigned, assigned_at)
    select replica, run, max(assigned), ${at.toISOString()}::timestamptz
    from unnest(
      ${senders.map((one) => one.replica)}::text[], ${senders.map((one) => one.run)}::text[],
      ${senders.map((one) => one.assigned)}::bigint[]
    ) as given (replica, run, assigned)
    group by replica, run order by replica, run
    on conflict (replica, run) do update set
      assigned = excluded.assigned, assigned_at = excluded.assigned_at
    where held.assigned < excluded.assigned`);
}

/** Rows that were dropped. `last` is null for rows without a number, of which `rows` were dropped. */
export type Dropped = Run &
  Readonly<{ reason: DropReason; first: number; last: number | null; rows: number }>;

/** A number that was reported before is not counted again. */
export async function addDropped(tx: Queryable, dropped: readonly Dropped[]): Promise<void> {
  if (dropped.length === 0) return;
  await tx.query(sql`
    insert into op.usage_drops as held (reason, replica, run, numbers, rows)
    select reason, replica, run, numbers, unnumbered + coalesce(
      (select sum(upper(one) - lower(one)) from unnest(numbers) one), 0)
    from (
      select reason, replica, run,
        coalesce(range_agg(int8range(first, last, '[]')) filter (where last is not null), '{}')
          as numbers,
        coalesce(sum(rows) filter (where last is null), 0) as unnumbered
      from unnest(
        ${dropped.map((one) => one.reason)}::text[], ${dropped.map((one) => one.replica)}::text[],
        ${dropped.map((one) => one.run)}::text[], ${dropped.map((one) => one.first)}::bigint[],
        ${dropped.map((one) => one.last)}::bigint[], ${dropped.map((one) => one.rows)}::bigint[]
      ) as given (reason, replica, run, first, last, rows)
      group by reason, replica, run
    ) summed
    order by reason, replica, run
    on conflict (reason, replica, run) do update set
      numbers = held.numbers + excluded.numbers,
      rows = held.rows + case when excluded.run = '' then excluded.rows else coalesce(
        (select sum(upper(one) - lower(one)) from unnest(excluded.numbers - held.numbers) one), 0)
      end`);
}

const unannounced = z.object({ reason: text, rows: integer, replicas: integer });
/** Dropped rows that no event in the log has counted, and the replicas that recorded them. */
export type Unannounced = Readonly<z.output<typeof unannounced>>;

/** Sums by reason. Leaves out reasons that had an event after `before`. */
export const unannouncedDrops = (db: Queryable, before: Date): Promise<Unannounced[]> =>
  readRows(db, unannounced)`
    select reason, sum(rows - announced_rows)::bigint as rows,
      count(distinct replica) filter (where rows > announced_rows) as replicas
    from op.usage_drops
    group by reason
    having sum(rows - announced_rows) > 0
      and coalesce(max(announced_at), '-infinity') <= ${before.toISOString()}::timestamptz
    order by reason`;

export async function markAnnounced(
  tx: Queryable,
  drops: readonly Unannounced[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update op.usage_drops set announced_rows = rows, announced_at = ${at.toISOString()}::timestamptz
    where reason = any(${drops.map(({ reason }) => reason)}::text[]) and rows > announced_rows`);
}
