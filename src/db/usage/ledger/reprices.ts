// Stores recomputations of costs. Their corrections are written in pages and count once the recomputation is applied, all at
// once.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { flag, integer, readRow, readValue, time } from '../../rows.ts';
import { holdBudgets } from '../budget-usage.ts';
import { deltasOfCorrections } from '../sums/add-deltas.ts';
import { isHeard, lockFolds } from '../usage-rollups.ts';

const running = z.object({ id: integer, started_at: time, is_heard: flag });

/**
 * Starts a recomputation and returns its id. Returns the start of another one if that is running:
 * there is one at a time. Until it ends, no rows are rolled up.
 */
export const claimReprice = (db: Database): Promise<number | Date> =>
  db.tx(async (tx) => {
    await lockFolds(tx);
    const other = await readRow(tx, running)`
      select id, started_at, ${isHeard} as is_heard
      from op.usage_reprices where applied_at is null`;
    if (other?.is_heard === true) return other.started_at;
    if (other !== null) await discardReprice(tx, other.id);
    const id = await readValue(tx, integer)`
      insert into op.usage_reprices (started_at, heard_at) values (now(), now()) returning id`;
    if (id === null) throw new Error('op.usage_reprices returned no id');
    return id;
  });

/** Removes a recomputation that was not applied, and its corrections. */
export async function discardReprice(db: Queryable, id: number): Promise<void> {
  const gone = await readValue(db, integer)`
    delete from op.usage_reprices where id = ${id} and applied_at is null returning id`;
  if (gone === null) return;
  await db.query(sql`delete from op.usage_corrections where reprice_id = ${id}`);
  await db.query(sql`
    delete from op.usage_sums where precision = 'delta' and reprice_id = ${id}`);
}

export type Correction = Readonly<{
  usageId: string;
  at: string;
  currency: string;
  deltaMicros: number;
  estimatedDeltaMicros: number;
  costMicros: number | null;
  priceVersion: number | null;
  /** 1 if the row has a price in this currency from then on, -1 if it no longer has. */
  priced: number;
}>;

/** Returns false if the recomputation has lost its place: see `holdReprice`. */
export async function addCorrections(
  db: Queryable,
  id: number,
  corrections: readonly Correction[],
): Promise<boolean> {
  const held = await readValue(db, integer)`
    with held as (
      update op.usage_reprices set heard_at = clock_timestamp()
      where id = ${id} and applied_at is null and ${isHeard} returning id
    ), made as (
      insert into op.usage_corrections (reprice_id, usage_id, at, currency, delta_micros,
        estimated_delta_micros, cost_micros, price_version, priced)
      select held.id, given.* from held, unnest(
        ${corrections.map((one) => one.usageId)}::text[],
        ${corrections.map((one) => one.at)}::timestamptz[],
        ${corrections.map((one) => one.currency)}::text[],
        ${corrections.map((one) => one.deltaMicros)}::bigint[],
        ${corrections.map((one) => one.estimatedDeltaMicros)}::bigint[],
        ${corrections.map((one) => one.costMicros)}::bigint[],
        ${corrections.map((one) => one.priceVersion)}::bigint[],
        ${corrections.map((one) => one.priced)}::smallint[]) given
      returning *
    ), summed as (${deltasOfCorrections(sql`made`)})
    select id from held`;
  return held !== null;
}

/**
 * Keeps the recomputation until the transaction ends. Returns false if it has lost its place:
 * another one took over, or it was not heard of for so long that its rows may be rolled up.
 */
export const holdReprice = async (tx: Queryable, id: number): Promise<boolean> =>
  (await readValue(tx, integer)`
    select id from op.usage_reprices
    where id = ${id} and applied_at is null and ${isHeard} for update`) !== null;

/** The change of a budget, if that is still in this window. */
export type BudgetDelta = Readonly<{ principalId: number; windowMs: number; deltaMicros: number }>;

type Applied = Readonly<{ id: number; at: Date; budgets: readonly BudgetDelta[] }>;

/** Makes the corrections count, and charges the difference to budgets in their present window. */
export async function applyReprice(tx: Queryable, { id, at, budgets }: Applied): Promise<void> {
  await holdBudgets(tx, [...new Set(budgets.map(({ principalId }) => principalId))]);
  await tx.query(sql`
    update op.budget_usage held
    set cost_used_micros = greatest(0, least(held.cost_used_micros + changed.delta,
      ${Number.MAX_SAFE_INTEGER}))
    from unnest(
      ${budgets.map((one) => one.principalId)}::bigint[],
      ${budgets.map((one) => new Date(one.windowMs).toISOString())}::timestamptz[],
      ${budgets.map((one) => one.deltaMicros)}::bigint[]
    ) as changed (principal_id, window_start, delta)
    where held.principal_id = changed.principal_id and held.window_start = changed.window_start`);
  await tx.query(sql`
    update op.usage_reprices set applied_at = ${at.toISOString()}::timestamptz where id = ${id}`);
}
