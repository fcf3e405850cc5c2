// Stores recomputations of costs. Their corrections are written in pages and count once the recomputation is applied, all at
// once.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { flag, integer, readRow, readValue, time } from '../../rows.ts';
import { holdBudgets } from '../budget-usage.ts';
import { deltasOfCorrections } from '../sums/add-deltas.ts';
import { lockFolds } from '../usage-rollups.ts';

const running = z.object({ id: integer, started_at: time, is_stale: flag });

type Claim = Readonly<{ at: Date; staleBefore: Date }>;

/**
 * Starts a recomputation and returns its id. Returns the start of another one if that is running:
 * there is one at a time. Until it ends, no rows are rolled up.
 */
export const claimReprice = (db: Database, { at, staleBefore }: Claim): Promise<number | Date> =>
  db.tx(async (tx) => {
    await lockFolds(tx);
    const other = await readRow(tx, running)`
      select id, started_at, heard_at < ${staleBefore.toISOString()}::timestamptz as is_stale
      from op.usage_reprices where applied_at is null`;
    if (other?.is_stale === false) return other.started_at;
    if (other !== null) await discardReprice(tx, other.id);
    const id = await readValue(tx, integer)`
      insert into op.usage_reprices (started_at, heard_at)
      values (${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz) returning id`;
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
}>;

/** Returns false if another process took over because this one was silent for too long. */
export async function addCorrections(
  db: Queryable,
  { id, at }: Readonly<{ id: number; at: Date }>,
  corrections: readonly Correction[],
): Promise<boolean> {
  const held = await readValue(db, integer)`
    update op.usage_reprices set heard_at = ${at.toISOString()}::timestamptz
    where id = ${id} and applied_at is null returning id`;
  if (held === null) return false;
  if (corrections.length === 0) return true;
  await db.query(sql`
    with made as (
    insert into op.usage_corrections (reprice_id, usage_id, at, currency, delta_micros,
      estimated_delta_micros, cost_micros, price_version)
    select ${id}::bigint, * from unnest(
      ${corrections.map((one) => one.usageId)}::text[],
      ${corrections.map((one) => one.at)}::timestamptz[],
      ${corrections.map((one) => one.currency)}::text[],
      ${corrections.map((one) => one.deltaMicros)}::bigint[],
      ${corrections.map((one) => one.estimatedDeltaMicros)}::bigint[],
      ${corrections.map((one) => one.costMicros)}::bigint[],
      ${corrections.map((one) => one.priceVersion)}::bigint[])
    returning *
    )
    ${deltasOfCorrections(sql`made`)}`);
  return true;
}

export const isReprice = async (db: Queryable, id: number): Promise<boolean> =>
  (await readValue(db, flag)`
    select exists (select from op.usage_reprices where id = ${id} and applied_at is null)`) ??
  false;

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
