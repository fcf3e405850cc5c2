// Stores the spending of budgets. Spending is added in the transaction of the usage rows, and
// created and deleted in the transaction of the budget. The first replica to notice starts the next
// window.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { principalId } from '../../lib/ids.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import { integer, readRows, time } from '../rows.ts';
import { appliedCorrections, currencyOf } from './usage-amounts.ts';

/**
 * Larger sums, which only a faulty report can cause, are capped at this: answers hold no larger
 * integers.
 */
const mostExact = Number.MAX_SAFE_INTEGER;

export type BudgetStart = Readonly<{
  principalId: PrincipalId;
  windowStart: Date;
  /** The end of a calendar window; null for windows of a fixed length. */
  windowEnd: Date | null;
  initialTokensUsed: number;
}>;

/**
 * Existing budgets keep their spending and the start of their window. The end of a window that is
 * already over stays, so that the next window starts.
 */
export const beginBudgets = (db: Queryable, starts: readonly BudgetStart[]): Promise<unknown> =>
  db.query(sql`
    insert into op.budget_usage as held
      (principal_id, window_start, window_end, tokens_used, cost_used_micros, initial_tokens_used)
    select principal_id, window_start, window_end, initial, 0, initial
    from unnest(
      ${starts.map((start) => start.principalId)}::bigint[],
      ${starts.map((start) => start.windowStart.toISOString())}::timestamptz[],
      ${starts.map((start) => start.windowEnd?.toISOString() ?? null)}::timestamptz[],
      ${starts.map((start) => start.initialTokensUsed)}::bigint[]
    ) as started (principal_id, window_start, window_end, initial)
    order by principal_id
    on conflict (principal_id) do update set window_end = excluded.window_end
    where excluded.window_end is null or held.window_end is null
      or held.window_end > excluded.window_start`);

/** Locks all in order of id before it deletes one, so that transactions cannot deadlock. */
export const endBudgets = (db: Queryable, ids: readonly PrincipalId[]): Promise<unknown> =>
  db.query(sql`
    with held as (
      select principal_id from op.budget_usage
      where principal_id = any(${[...ids]}::bigint[]) order by principal_id for update
    )
    delete from op.budget_usage where principal_id in (select principal_id from held)`);

const heldBudget = z.object({ principal_id: integer, window_start: time });

/**
 * The current window of each of these principals' budgets, locked until the transaction ends. Locks
 * in order of id, so that transactions cannot deadlock. The lock lets others create allotments of
 * the budgets, because it does not conflict with that of a foreign key.
 */
export async function holdBudgets(
  tx: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Date>> {
  const rows = await readRows(tx, heldBudget)`
    select principal_id, window_start from op.budget_usage
    where principal_id = any(${[...ids]}::bigint[]) order by principal_id
    for no key update`;
  return new Map(rows.map((row) => [row.principal_id, row.window_start]));
}

export type Spend = Readonly<{ principalId: number; tokens: number; costMicros: number }>;

const countedSpend = z.object({
  principal_id: principalId,
  window_start: time,
  /** The end of a calendar window; null for windows of a fixed length. */
  window_end: time.nullable(),
  tokens_used: integer,
  cost_used_micros: integer,
  /** The highest percentages that were alerted in this window. */
  alerted_tokens_percent: integer,
  alerted_cost_percent: integer,
});
export type CountedSpend = Readonly<z.output<typeof countedSpend>>;

/** The spending of these principals; each must have a budget. */
export const readSpend = (tx: Queryable, ids: readonly number[]): Promise<CountedSpend[]> =>
  readRows(tx, countedSpend)`
    select principal_id, window_start, window_end, tokens_used, cost_used_micros,
      alerted_tokens_percent, alerted_cost_percent
    from op.budget_usage where principal_id = any(${[...ids]}::bigint[]) order by principal_id`;

/** Adds to locked budgets: tokens, and micro-units of money, each at most 2^53 - 1. */
export const addSpend = (tx: Queryable, spends: readonly Spend[]): Promise<unknown> =>
  tx.query(sql`
    update op.budget_usage held
    set tokens_used = least(held.tokens_used + spent.tokens, ${mostExact}),
      cost_used_micros = least(held.cost_used_micros + spent.cost, ${mostExact})
    from unnest(
      ${spends.map((spend) => spend.principalId)}::bigint[],
      ${spends.map((spend) => spend.tokens)}::bigint[],
      ${spends.map((spend) => spend.costMicros)}::bigint[]
    ) as spent (principal_id, tokens, cost)
    where held.principal_id = spent.principal_id`);

const budgetUsage = countedSpend.extend({
  /** The end of the window last published to proxies. */
  published_window_end: time.nullable(),
  /** The amounts last published to proxies; both null if none were. */
  published_tokens_used: integer.nullable(),
  published_cost_used_micros: integer.nullable(),
});
export type BudgetUsage = Readonly<z.output<typeof budgetUsage>>;

export type BudgetReading = Readonly<{ seq: number; usages: readonly BudgetUsage[] }>;

/** Without a budget the join returns one row of nulls. */
const budgetReading = z.union([
  budgetUsage.extend({ seq: integer }),
  z.object({ seq: integer, principal_id: z.null() }),
]);

/** A consistent read of all budgets, sorted by id. */
export async function readBudgets(db: Queryable): Promise<BudgetReading> {
  const rows = await readRows(db, budgetReading)`
      select seq, principal_id, window_start, window_end, tokens_used, cost_used_micros,
        published_tokens_used, published_cost_used_micros, published_window_end,
      alerted_tokens_percent, alerted_cost_percent
      from op.budget_overlay left join op.budget_usage on true order by principal_id`;
  const [first] = rows;
  if (first === undefined) throw new Error('op.budget_overlay has no row');
  return { seq: first.seq, usages: rows.filter((row) => row.principal_id !== null) };
}

/** The spending of these principals, and the amounts published to proxies. */
export const budgetUsages = (db: Queryable, ids: readonly number[]): Promise<BudgetUsage[]> =>
  readRows(db, budgetUsage)`
    select principal_id, window_start, window_end, tokens_used, cost_used_micros,
      published_tokens_used, published_cost_used_micros, published_window_end,
      alerted_tokens_percent, alerted_cost_percent
    from op.budget_usage where principal_id = any(${[...ids]}::bigint[])`;

/**
 * Locks the overlay, so that one replica at a time decides what to publish, until its transaction
 * ends.
 */
export const holdOverlay = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`select seq from op.budget_overlay for update`);

/** `end` is null for windows of a fixed length. */
export type WindowMove = Readonly<{
  principalId: PrincipalId;
  from: Date;
  to: Date;
  end: Date | null;
}>;

/**
 * Starts the next window of each budget, with nothing spent, unless another replica has already
 * done so.
 */
export const advanceWindows = (tx: Queryable, moves: readonly WindowMove[]): Promise<unknown> =>
  tx.query(sql`
    update op.budget_usage held
    set window_start = moved.later, window_end = moved.latest, tokens_used = 0,
      cost_used_micros = 0, initial_tokens_used = 0,
      alerted_tokens_percent = 0, alerted_cost_percent = 0
    from unnest(
      ${moves.map((move) => move.principalId)}::bigint[],
      ${moves.map((move) => move.from.toISOString())}::timestamptz[],
      ${moves.map((move) => move.to.toISOString())}::timestamptz[],
      ${moves.map((move) => move.end?.toISOString() ?? null)}::timestamptz[]
    ) as moved (principal_id, earlier, later, latest)
    where held.principal_id = moved.principal_id and held.window_start = moved.earlier`);

export type ToldWindow = Readonly<{ principalId: PrincipalId; windowEnd: Date }>;

/**
 * Publishes the current spending and the end of the window of these principals to proxies, under a
 * new `seq` of the overlay.
 */
export async function tellSpend(
  tx: Queryable,
  { told, seq }: Readonly<{ told: readonly ToldWindow[]; seq: number }>,
): Promise<void> {
  await tx.query(sql`
    update op.budget_usage held
    set published_tokens_used = tokens_used, published_cost_used_micros = cost_used_micros,
      published_window_end = told.window_end
    from unnest(
      ${told.map((one) => one.principalId)}::bigint[],
      ${told.map((one) => one.windowEnd.toISOString())}::timestamptz[]
    ) as told (principal_id, window_end)
    where held.principal_id = told.principal_id`);
  await tx.query(sql`update op.budget_overlay set seq = ${seq}`);
}

/** Budgets of money are in the default currency. */
export const chargeOf = (amount: SQLQuery): SQLQuery =>
  sql`case when ${currencyOf(sql`currency`)} = ${defaultCurrency} then ${amount} end`;

const budgetCheck = z.object({
  principal_id: principalId,
  counted_tokens: integer,
  counted_cost_micros: integer,
  summed_tokens: integer,
  summed_cost_micros: integer,
});
export type BudgetCheck = Readonly<z.output<typeof budgetCheck>>;

/**
 * Finds counters that differ from the sum of the usage in their window, including roll-ups. There
 * are none unless someone changed either manually.
 */
export const strayBudgets = (db: Queryable): Promise<BudgetCheck[]> =>
  readRows(db, budgetCheck)`
    select * from (
      select held.principal_id, held.tokens_used as counted_tokens,
        held.cost_used_micros as counted_cost_micros,
        least(held.initial_tokens_used
          + coalesce(sum(used.tokens), 0), ${mostExact})::bigint as summed_tokens,
        least(coalesce(sum(used.cost_micros), 0), ${mostExact})::bigint as summed_cost_micros
      from op.budget_usage held
      left join (
        select principal_id, budget_window,
          prompt_tokens::numeric + completion_tokens as tokens,
          ${chargeOf(sql`coalesce(cost_micros, estimated_cost_micros)::numeric`)} as cost_micros
        from op.usage_events
        union all
        select held.principal_id, held.budget_window, 0,
          case when c.currency = ${defaultCurrency}
            then c.delta_micros + c.estimated_delta_micros end
        from ${appliedCorrections}
          join op.usage_events held on held.id = c.usage_id and held.at = c.at
        union all
        select principal_id, budget_window, prompt_tokens + completion_tokens
            + estimated_prompt_tokens + estimated_completion_tokens,
          ${chargeOf(sql`coalesce(cost_micros, 0) + coalesce(correction_micros, 0)
            + coalesce(estimated_cost_micros, 0)`)}
        from op.usage_hours
      ) used on used.principal_id = held.principal_id and used.budget_window = held.window_start
      group by held.principal_id
    ) checked
    where counted_tokens <> summed_tokens or counted_cost_micros <> summed_cost_micros
    order by principal_id`;
