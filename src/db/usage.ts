// Usage rows: taken in by the batch, added up by a grouping (specification, "Usage event").

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { UsageEvents_InsertParameters as UsageRow } from './generated/schema.d.ts';
import { operations } from './operations.ts';
import type { Database } from './pool.ts';

export type StoredUsage = Readonly<{
  [Column in keyof UsageRow]-?: Exclude<UsageRow[Column], undefined>;
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
] as const satisfies readonly (keyof UsageRow)[];

/** All rows or none; a row whose id is already there is left as it is. */
export async function insertUsage(db: Database, rows: readonly StoredUsage[]): Promise<void> {
  if (rows.length === 0) return;
  await db.tx(async (tx) => {
    const months = new Set(rows.map(({ at }) => at.toISOString().slice(0, 7)));
    for (const month of months) {
      await tx.query(sql`select op.ensure_usage_month(${`${month}-01T00:00:00Z`}::timestamptz)`);
    }
    await operations
      .usage_events(tx)
      .bulkInsertOrIgnore({ columnsToInsert: columns, records: rows });
  });
}

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
