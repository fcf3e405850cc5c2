// Stores how much of each budget each proxy may spend before it is counted. Times are those of
// `op.limit_now()`.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { limitNow } from './allotments.ts';
import { principalId } from '../lib/ids.ts';
import { flag, integer, readRows, text } from './rows.ts';

const place = { principal_id: principalId, dimension: text } as const;
const placeRow = z.object(place);
export type BudgetPlace = Readonly<z.output<typeof placeRow>>;

const allotmentRow = z.object({
  ...place,
  /** Amounts by replica. */
  held: z.record(z.string(), integer),
  was_short: flag,
});
export type BudgetAllotmentRow = Readonly<z.output<typeof allotmentRow>>;

/** A need that was not met is known to all replicas for this long. */
const shortMs = 15_000;
const shortSince = sql`${limitNow} - make_interval(secs => ${shortMs / 1000})`;

/**
 * Creates those that are absent, and locks all in their order. A principal without a budget has
 * none. Budgets are locked before their allotments, as in `endBudgets`, so that deadlocks cannot
 * occur.
 */
export async function holdBudgetAllotments(
  tx: Queryable,
  places: readonly BudgetPlace[],
): Promise<BudgetAllotmentRow[]> {
  await tx.query(sql`
    with absent as (
      select principal_id, dimension from ${given(places)}
      except select principal_id, dimension from op.budget_allotments
        where principal_id = any(${places.map((one) => one.principal_id)}::bigint[])
    ), budgets as (
      select principal_id from op.budget_usage
      where principal_id in (select principal_id from absent) order by principal_id for key share
    )
    insert into op.budget_allotments (principal_id, dimension, held)
    select principal_id, dimension, '{}' from absent join budgets using (principal_id)
    order by principal_id, dimension on conflict (principal_id, dimension) do nothing`);
  return readRows(tx, allotmentRow)`
    select principal_id, dimension, held, coalesce(short_at > ${shortSince}, false) as was_short
    from op.budget_allotments
    where (principal_id, dimension) in (select principal_id, dimension from ${given(places)})
    order by principal_id, dimension for update`;
}

const liveReplica = z.object({ replica: text, knows: integer });
export type LiveReplica = Readonly<z.output<typeof liveReplica>>;

/** The replicas that reported in this time, except those of older releases. */
export const liveReplicas = (tx: Queryable, silentMs: number): Promise<LiveReplica[]> =>
  readRows(tx, liveReplica)`
    select replica, knows from op.limit_replicas where not is_older
      and seen_at > ${limitNow} - make_interval(secs => ${silentMs / 1000})`;

/** Records the smallest number of replicas that this one may know of. */
export const noteKnown = (tx: Queryable, replica: string, knows: number): Promise<unknown> =>
  tx.query(sql`update op.limit_replicas set knows = ${knows} where replica = ${replica}`);

type Written = BudgetPlace & Readonly<{ held: Readonly<Record<string, number>>; isShort: boolean }>;

/** The rows must be locked. */
export const writeBudgetAllotments = (tx: Queryable, rows: readonly Written[]): Promise<unknown> =>
  tx.query(sql`
    update op.budget_allotments as stored
    set held = given.held, short_at = case when given.is_short then ${limitNow}
      when stored.short_at > ${shortSince} then stored.short_at end
    from (select * from ${given(rows)} join unnest(
        ${rows.map(({ held }) => JSON.stringify(held))}::jsonb[],
        ${rows.map(({ isShort }) => isShort)}::boolean[]
      ) with ordinality more (held, is_short, place) using (place)) given
    where (stored.principal_id, stored.dimension) = (given.principal_id, given.dimension)`);

/** Budgets of which some replica needed more than was left a short time ago. */
export const listShortBudgets = (tx: Queryable, limit: number): Promise<BudgetPlace[]> =>
  readRows(tx, placeRow)`
    select principal_id, dimension from op.budget_allotments where short_at > ${shortSince}
    order by short_at desc limit ${limit}`;

const given = (places: readonly BudgetPlace[]) => sql`
  unnest(
    ${places.map((one) => one.principal_id)}::bigint[],
    ${places.map(({ dimension }) => dimension)}::text[]
  ) with ordinality given (principal_id, dimension, place)`;
