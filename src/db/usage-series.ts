// Usage by the bucket (specification, `GET /admin/timeseries`): those buckets in which there is some.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import {
  averageDuration,
  boundedSum,
  percentile,
  upstreamStatuses,
  usageIn,
} from './usage-range.ts';
import type { UpstreamStatuses, UsageFilter } from './usage-range.ts';

export type SeriesQuery = UsageFilter &
  Readonly<{ since: string; until: string; startMs: number; widthMs: number }>;

/** Null times are of a bucket in which nothing was answered, or which is only known as sums. */
export type SeriesPoint = UpstreamStatuses &
  Readonly<{
    bucket: number;
    requests: number;
    upstream_errors: number;
    client_errors: number;
    refused_authorisation: number;
    refused_rate_limit: number;
    refused_budget: number;
    refused_no_backend: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Null when no request of the bucket has a price. */
    cost_micros: number | null;
    unpriced_requests: number;
    avg_ms: number | null;
    p50_ms: number | null;
    p95_ms: number | null;
    p99_ms: number | null;
    ttft_p50_ms: number | null;
    ttft_p95_ms: number | null;
    ttft_p99_ms: number | null;
  }>;

const bucketOf = (column: SQLQuery, { startMs, widthMs }: SeriesQuery): SQLQuery =>
  sql`floor((extract(epoch from ${column}) * 1000 - ${startMs}) / ${widthMs})::bigint`;

const refused = (reason: string): SQLQuery =>
  sql`coalesce(sum(requests) filter (where refusal = ${reason}), 0)::bigint`;

export const usageSeries = (db: Queryable, query: SeriesQuery): Promise<SeriesPoint[]> =>
  db.query(sql`
    select ${bucketOf(sql`at`, query)} as bucket, sum(requests)::bigint as requests,
      sum(upstream_errors)::bigint as upstream_errors,
      sum(client_errors)::bigint as client_errors,
      ${refused('authorisation')} as refused_authorisation,
      ${refused('rate_limit')} as refused_rate_limit,
      ${refused('budget')} as refused_budget,
      ${refused('no_backend')} as refused_no_backend,
      ${upstreamStatuses},
      ${boundedSum(sql`prompt_tokens`)} as prompt_tokens,
      ${boundedSum(sql`completion_tokens`)} as completion_tokens,
      ${boundedSum(sql`cost_micros`)} as cost_micros,
      sum(unpriced_requests)::bigint as unpriced_requests,
      ${averageDuration} as avg_ms,
      ${percentile(0.5, sql`duration_ms`)} as p50_ms,
      ${percentile(0.95, sql`duration_ms`)} as p95_ms,
      ${percentile(0.99, sql`duration_ms`)} as p99_ms,
      ${percentile(0.5, sql`ttft_ms`)} as ttft_p50_ms,
      ${percentile(0.95, sql`ttft_ms`)} as ttft_p95_ms,
      ${percentile(0.99, sql`ttft_ms`)} as ttft_p99_ms
    from (${usageIn(query, query)}) counted
    group by 1`);

/** Refusals that are nobody's, by the bucket in which their minute begins. */
export const unattributedSeries = (
  db: Queryable,
  query: SeriesQuery,
): Promise<Readonly<{ bucket: number; refused: number }>[]> =>
  db.query(sql`
    select ${bucketOf(sql`minute`, query)} as bucket,
      sum(unauthenticated + model_not_found)::bigint as refused
    from op.refused_unattributed
    where minute >= ${query.since}::timestamptz and minute < ${query.until}::timestamptz
    group by 1`);
