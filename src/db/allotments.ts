// Stores how much of each rate limit each proxy may use in each minute. Times are those of the
// database's clock, because the clocks of control planes differ.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { principalId } from '../lib/ids.ts';
import { flag, integer, readRow, readRows, readValue, text } from './rows.ts';

/** Later than every answered report. Computed once in a statement, also where it is used for each row. */
export const limitNow = sql`(select op.limit_now())`;

type Seen = Readonly<{ replica: string; sequence: number | null }>;

/**
 * Records that the replica is alive and locks it until the end of the transaction. False if a newer
 * report of it was recorded.
 */
export async function seeReplica(tx: Queryable, { replica, sequence }: Seen): Promise<boolean> {
  const seen = await readValue(tx, text)`
    insert into op.limit_replicas as held (replica, sequence, is_older, seen_at)
    values (${replica}, ${sequence ?? 0}, ${sequence === null}, op.limit_now())
    on conflict (replica) do update set sequence = excluded.sequence,
      is_older = excluded.is_older, seen_at = excluded.seen_at
    where excluded.is_older or held.sequence < excluded.sequence
    returning replica`;
  return seen !== null;
}

const shares = z.record(z.string(), integer);

const moment = z.object({
  nowMs: integer,
  replicas: integer,
  older: integer,
  /** Shares by replica. */
  starts: shares,
  nextStarts: shares,
});
export type Moment = Readonly<z.output<typeof moment>>;

/** The live replicas and the starts of this minute and the next one. */
export async function readMoment(tx: Queryable, silentMs: number): Promise<Moment> {
  const found = await readRow(tx, moment)`
    with given as (
      select now, floor(extract(epoch from now) / 60)::bigint as minute
      from (select op.limit_now() as now) clock
    ), live as (
      select count(*) as replicas, count(*) filter (where is_older) as older
      from op.limit_replicas, given
      where seen_at > now - make_interval(secs => ${silentMs / 1000})
    )
    select floor(extract(epoch from now) * 1000)::bigint as "nowMs", replicas, older,
      coalesce((select jsonb_object_agg(replica, share) from op.limit_starts held
        where held.minute = given.minute), '{}') as starts,
      coalesce((select jsonb_object_agg(replica, share) from op.limit_starts held
        where held.minute = given.minute + 1), '{}') as "nextStarts"
    from given, live`;
  if (found === null) throw new Error('the database returned no time');
  return found;
}

const startsLock = 7_100_007;

/** Until the end of the transaction, no other control plane gives starts. */
export const holdStarts = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${startsLock})`);

type Start = Readonly<{ minute: number; share: number }>;

export const writeStarts = (
  tx: Queryable,
  replica: string,
  starts: readonly Start[],
): Promise<unknown> =>
  tx.query(sql`
    insert into op.limit_starts (minute, replica, share)
    select minute, ${replica}, share from unnest(
      ${starts.map(({ minute }) => minute)}::bigint[],
      ${starts.map(({ share }) => share)}::integer[]) given (minute, share)`);

/** The replica uses nothing without an allotment from now on. */
export async function forgetReplica(tx: Queryable, replica: string): Promise<void> {
  await tx.query(sql`update op.limit_starts set share = 0 where replica = ${replica}`);
  await tx.query(sql`
    update op.limit_replicas set seen_at = '-infinity' where replica = ${replica}`);
}

const place = { minute: integer, principal_id: principalId, dimension: text } as const;
const placeRow = z.object(place);
export type LimitPlace = Readonly<z.output<typeof placeRow>>;

const allotmentRow = z.object({ ...place, held: shares, is_short: flag });
export type AllotmentRow = Readonly<z.output<typeof allotmentRow>>;

/** Creates those that are absent, and locks all in their order, so that deadlocks cannot occur. */
export async function holdAllotments(
  tx: Queryable,
  places: readonly LimitPlace[],
): Promise<AllotmentRow[]> {
  await tx.query(sql`
    insert into op.allotments (minute, principal_id, dimension, held, is_short)
    select minute, principal_id, dimension, '{}', false from ${given(places)}
    order by minute, principal_id, dimension
    on conflict (minute, principal_id, dimension) do nothing`);
  return readRows(tx, allotmentRow)`
    select minute, principal_id, dimension, held, is_short from op.allotments
    where (minute, principal_id, dimension)
      in (select minute, principal_id, dimension from ${given(places)})
    order by minute, principal_id, dimension for update`;
}

type Written = LimitPlace & Readonly<{ amount: number; is_short: boolean }>;

/** The rows must be locked. */
export const writeAllotments = (
  tx: Queryable,
  replica: string,
  rows: readonly Written[],
): Promise<unknown> =>
  tx.query(sql`
    update op.allotments as stored
    set held = stored.held || jsonb_build_object(${replica}::text, given.amount),
      is_short = stored.is_short or given.is_short
    from (select * from ${given(rows)} join unnest(
        ${rows.map(({ amount }) => amount)}::bigint[],
        ${rows.map((row) => row.is_short)}::boolean[]
      ) with ordinality more (amount, is_short, place) using (place)) given
    where (stored.minute, stored.principal_id, stored.dimension)
      = (given.minute, given.principal_id, given.dimension)`);

/** Limits of which some replica needs more than is left. */
export const listShort = (
  tx: Queryable,
  { minutes, limit }: Readonly<{ minutes: readonly number[]; limit: number }>,
): Promise<LimitPlace[]> =>
  readRows(tx, placeRow)`
    select minute, principal_id, dimension from op.allotments
    where minute = any(${[...minutes]}::bigint[]) and is_short
    order by minute, principal_id, dimension limit ${limit}`;

/** Deletes minutes before this one, and replicas that have been silent for longer than it. */
export async function deleteMinutes(
  db: Queryable,
  { before, silentMs }: Readonly<{ before: number; silentMs: number }>,
): Promise<void> {
  await db.query(sql`delete from op.limit_starts where minute < ${before}`);
  await db.query(sql`delete from op.allotments where minute < ${before}`);
  await db.query(sql`
    delete from op.limit_replicas
    where seen_at < ${limitNow} - make_interval(secs => ${silentMs / 1000})`);
}

const given = (places: readonly LimitPlace[]) => sql`
  unnest(
    ${places.map(({ minute }) => minute)}::bigint[],
    ${places.map((one) => one.principal_id)}::bigint[],
    ${places.map(({ dimension }) => dimension)}::text[]
  ) with ordinality given (minute, principal_id, dimension, place)`;
