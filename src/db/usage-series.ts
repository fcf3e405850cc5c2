// Usage by the bucket (specification, `GET /admin/timeseries`): those buckets in which there is some.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import { percentile, refused, usageColumns } from './usage-columns.ts';
import type { UsageColumns } from './usage-columns.ts';
import { usageIn } from './usage-range.ts';
import type { UsageFilter } from './usage-range.ts';

export type SeriesQuery = UsageFilter &
  Readonly<{ since: string; until: string; startMs: number; widthMs: number }>;

export type SeriesPoint = UsageColumns &
  Readonly<{
    bucket: number;
    upstream_errors: number;
    client_errors: number;
    refused_authorisation: number;
    refused_rate_limit: number;
    refused_budget: number;
    ttft_p50_ms: number | null;
    ttft_p99_ms: number | null;
  }>;

const bucketOf = (column: SQLQuery, { startMs, widthMs }: SeriesQuery): SQLQuery =>
  sql`floor((extract(epoch from ${column}) * 1000 - ${startMs}) / ${widthMs})::bigint`;

export const usageSeries = (db: Queryable, query: SeriesQuery): Promise<SeriesPoint[]> =>
  db.query(sql`
    select ${bucketOf(sql`at`, query)} as bucket, ${usageColumns},
      sum(upstream_errors)::bigint as upstream_errors,
      sum(client_errors)::bigint as client_errors,
      ${refused('authorisation')} as refused_authorisation,
      ${refused('rate_limit')} as refused_rate_limit,
      ${refused('budget')} as refused_budget,
      ${percentile(0.5, sql`ttft_ms`)} as ttft_p50_ms,
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
