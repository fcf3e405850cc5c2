// Usage rows: taken in by the batch, added up by a grouping (specification, "Usage event").

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import { addSpend, holdBudgets } from './budget-usage.ts';
import type { Spend } from './budget-usage.ts';
import type { UsageEvents_InsertParameters as UsageRow } from './generated/schema.d.ts';
import { operations } from './operations.ts';
import type { Database } from './pool.ts';

/** Which budget a row counts in is found out when it is stored. */
export type StoredUsage = Readonly<{
  [Column in Exclude<keyof UsageRow, 'budget_window'>]-?: Exclude<UsageRow[Column], undefined>;
}>;

const columns = [
  'id',
  'at',
  'received_at',
  'replica',
  'principal_id',
  'principal',
  'key_id',
  'model_id',
  'model',
  'provider_id',
  'provider',
  'virtual_model',
  'path',
  'snapshot_version',
  'route',
  'tag',
  'frontend_model_id',
  'rule_id',
  'stream',
  'status',
  'refusal',
  'prompt_tokens',
  'completion_tokens',
  'usage_reported',
  'cost_micros',
  'cached',
  'duration_ms',
  'ttft_ms',
  'attempts',
  'prompt_estimate',
  'max_tokens',
  'budget_window',
] as const satisfies readonly (keyof UsageRow)[];

/**
 * All rows or none; a row whose id is already there is left as it is. What is new is added to the budgets of its principals in the
 * same transaction: a batch that comes twice counts once.
 */
export async function insertUsage(db: Database, rows: readonly StoredUsage[]): Promise<void> {
  if (rows.length === 0) return;
  await db.tx(async (tx) => {
    const months = new Set(rows.map(({ at }) => at.toISOString().slice(0, 7)));
    for (const month of months) {
      await tx.query(sql`select op.ensure_usage_month(${`${month}-01T00:00:00Z`}::timestamptz)`);
    }
    const windows = await holdBudgets(tx, [...new Set(rows.map((row) => row.principal_id))]);
    const records = rows.map((row) => ({
      ...row,
      budget_window: windows.get(row.principal_id) ?? null,
    }));
    const inserted = await operations
      .usage_events(tx)
      .bulkInsertOrIgnore({ columnsToInsert: columns, records });
    const counted = inserted.filter((row) => row.budget_window !== null);
    if (counted.length > 0) await addSpend(tx, spendOf(counted));
  });
}

type Counted = Pick<
  StoredUsage,
  'principal_id' | 'prompt_tokens' | 'completion_tokens' | 'cost_micros'
>;

/** What these rows come to, a principal each. What has no price costs nothing of a budget. */
function spendOf(rows: readonly Counted[]): Spend[] {
  const byPrincipal = Map.groupBy(rows, (row) => row.principal_id);
  return [...byPrincipal].map(([principalId, own]) => ({
    principalId,
    tokens: exactSum(own.flatMap((row) => [row.prompt_tokens, row.completion_tokens])),
    costMicros: exactSum(own.map((row) => row.cost_micros ?? 0)),
  }));
}

/** At most 2^53 - 1. */
const exactSum = (values: readonly number[]): number =>
  values.reduce((sum, value) => Math.min(sum + value, Number.MAX_SAFE_INTEGER), 0);

type UsageGrouping = 'model' | 'principal' | 'virtual_model' | 'day';

export type UsageQuery = Readonly<{
  groupBy: UsageGrouping;
  /** RFC 3339; null is no bound. */
  since: string | null;
  until: string | null;
  limit: number;
}>;

export type UsageTotal = Readonly<{
  key: string | null;
  requests: number;
  refused_requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Null when no request of the group has a price. */
  cost_micros: number | null;
  unpriced_requests: number;
  avg_ms: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  ttft_p95_ms: number | null;
}>;

const groupKeys: Readonly<Record<UsageGrouping, SQLQuery>> = {
  model: sql`model`,
  principal: sql`principal`,
  virtual_model: sql`virtual_model`,
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
};

/** A sum beyond it, which only a broken report can make, is answered as it: an answer holds no larger integer. */
const mostExact = Number.MAX_SAFE_INTEGER;

/** Not by `least`, which would make a number of the null of what has no price. */
const boundedSum = (column: SQLQuery): SQLQuery =>
  sql`(case when sum(${column}) > ${mostExact} then ${mostExact} else sum(${column}) end)::bigint`;

/** The dearest first; days the newest first. A refused request has no cost and is not unpriced. */
export const usageTotals = (db: Queryable, query: UsageQuery): Promise<UsageTotal[]> =>
  db.query(sql`
    select ${groupKeys[query.groupBy]} as key, count(*) as requests,
      count(refusal) as refused_requests,
      ${boundedSum(sql`prompt_tokens`)} as prompt_tokens,
      ${boundedSum(sql`completion_tokens`)} as completion_tokens,
      ${boundedSum(sql`cost_micros`)} as cost_micros,
      count(*) filter (where cost_micros is null and refusal is null) as unpriced_requests,
      round(avg(duration_ms) filter (where refusal is null))::bigint as avg_ms,
      percentile_disc(0.5) within group (order by duration_ms)
        filter (where refusal is null) as p50_ms,
      percentile_disc(0.95) within group (order by duration_ms)
        filter (where refusal is null) as p95_ms,
      percentile_disc(0.95) within group (order by ttft_ms)
        filter (where refusal is null) as ttft_p95_ms
    from op.usage_events
    where (${query.since}::timestamptz is null or at >= ${query.since}::timestamptz)
      and (${query.until}::timestamptz is null or at < ${query.until}::timestamptz)
    group by 1
    order by ${query.groupBy === 'day' ? sql`key desc` : sql`cost_micros desc nulls last, requests desc, key`}
    limit ${query.limit}`);
