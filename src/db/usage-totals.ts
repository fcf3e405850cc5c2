// Usage added up by a grouping (specification, `GET /admin/usage`).

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import {
  averageDuration,
  boundedSum,
  percentile,
  unfiltered,
  upstreamStatuses,
  usageIn,
} from './usage-range.ts';
import type { UpstreamStatuses, UsageRange } from './usage-range.ts';

export const usageGroupings = [
  'model',
  'principal',
  'virtual_model',
  'provider',
  'tag',
  'day',
  'all',
] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export type UsageQuery = UsageRange & Readonly<{ groupBy: UsageGrouping; limit: number }>;

export type UsageTotal = UpstreamStatuses &
  Readonly<{
    key: string | null;
    requests: number;
    refused_requests: number;
    refused_no_backend: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Null when no request of the group has a price. */
    cost_micros: number | null;
    unpriced_requests: number;
    avg_ms: number | null;
    p50_ms: number | null;
    p95_ms: number | null;
    p99_ms: number | null;
    ttft_p95_ms: number | null;
  }>;

const groupKeys: Readonly<Record<UsageGrouping, SQLQuery>> = {
  model: sql`model`,
  principal: sql`principal`,
  virtual_model: sql`virtual_model`,
  provider: sql`provider`,
  tag: sql`tag`,
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
  all: sql`null::text`,
};

/** The dearest first; days the newest first. */
export const usageTotals = (db: Queryable, query: UsageQuery): Promise<UsageTotal[]> =>
  db.query(sql`
    select ${groupKeys[query.groupBy]} as key, sum(requests)::bigint as requests,
      coalesce(sum(requests) filter (where refusal is not null), 0)::bigint as refused_requests,
      coalesce(sum(requests) filter (where refusal = 'no_backend'), 0)::bigint
        as refused_no_backend,
      ${upstreamStatuses},
      ${boundedSum(sql`prompt_tokens`)} as prompt_tokens,
      ${boundedSum(sql`completion_tokens`)} as completion_tokens,
      ${boundedSum(sql`cost_micros`)} as cost_micros,
      sum(unpriced_requests)::bigint as unpriced_requests,
      ${averageDuration} as avg_ms,
      ${percentile(0.5, sql`duration_ms`)} as p50_ms,
      ${percentile(0.95, sql`duration_ms`)} as p95_ms,
      ${percentile(0.99, sql`duration_ms`)} as p99_ms,
      ${percentile(0.95, sql`ttft_ms`)} as ttft_p95_ms
    from (${usageIn(query, unfiltered)}) counted
    group by 1
    order by ${query.groupBy === 'day' ? sql`key desc` : sql`cost_micros desc nulls last, requests desc, key`}
    limit ${query.limit}`);
