// Reads usage by time bucket (specification, `GET /admin/timeseries`); empty buckets are omitted.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text } from '../rows.ts';
import {
  costsIn,
  percentile,
  refused,
  usageColumns,
  usageSums,
  withCosts,
} from './usage-columns.ts';
import { usageIn } from './usage-range.ts';
import type { UsageFilter } from './usage-range.ts';

export type SeriesQuery = UsageFilter &
  Readonly<{ since: string; until: string; startMs: number; widthMs: number }>;

const seriesPoint = usageSums.extend({
  bucket: integer,
  key: text,
  upstream_errors: integer,
  client_errors: integer,
  refused_authorisation: integer,
  refused_rate_limit: integer,
  refused_budget: integer,
  ttft_p50_ms: integer.nullable(),
  ttft_p99_ms: integer.nullable(),
});

const bucketOf = (column: SQLQuery, { startMs, widthMs }: SeriesQuery): SQLQuery =>
  sql`floor((extract(epoch from ${column}) * 1000 - ${startMs}) / ${widthMs})::bigint`;

export async function usageSeries(db: Queryable, query: SeriesQuery) {
  const found = await points(db, query);
  const isMixed = found.some((one) => one.is_mixed);
  const asked = { key: bucketOf(sql`at`, query), usage: usageIn(query, query) };
  return withCosts(found, isMixed ? await costsIn(db, asked) : []);
}
export type SeriesPoint = Awaited<ReturnType<typeof usageSeries>>[number];

const points = (db: Queryable, query: SeriesQuery) =>
  readRows(db, seriesPoint)`
    select ${bucketOf(sql`at`, query)} as bucket, ${bucketOf(sql`at`, query)}::text as key,
      ${usageColumns},
      sum(upstream_errors)::bigint as upstream_errors,
      sum(client_errors)::bigint as client_errors,
      ${refused('authorisation')} as refused_authorisation,
      ${refused('rate_limit')} as refused_rate_limit,
      ${refused('budget')} as refused_budget,
      ${percentile(0.5, sql`ttft_ms`)} as ttft_p50_ms,
      ${percentile(0.99, sql`ttft_ms`)} as ttft_p99_ms
    from (${usageIn(query, query)}) counted
    group by 1, 2`;

const refusedPoint = z.object({ bucket: integer, refused: integer });

/** Refusals without a principal, by the bucket in which their minute begins. */
export const unattributedSeries = (db: Queryable, query: SeriesQuery) =>
  readRows(db, refusedPoint)`
    select ${bucketOf(sql`minute`, query)} as bucket,
      sum(unauthenticated + model_not_found)::bigint as refused
    from op.refused_unattributed
    where minute >= ${query.since}::timestamptz and minute < ${query.until}::timestamptz
    group by 1`;
