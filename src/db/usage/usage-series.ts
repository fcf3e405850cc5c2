// Reads usage by time bucket (specification, `GET /admin/timeseries`); empty buckets are omitted.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { coarsestIn } from '../../usage/pieces.ts';
import { integer, readRows, text } from '../rows.ts';
import { costsIn, sumOf, usageColumns, usageSums, withCosts } from './usage-columns.ts';
import { withLatencies } from './usage-latency.ts';
import { dimensionOf, usageIn } from './usage-range.ts';
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
});

const bucketOf = (column: SQLQuery, { startMs, widthMs }: SeriesQuery): SQLQuery =>
  sql`floor((extract(epoch from ${column}) * 1000 - ${startMs}) / ${widthMs})::bigint`;

export async function usageSeries(db: Queryable, query: SeriesQuery) {
  const usage = await usageIn(db, {
    ...query,
    filter: query,
    dimension: dimensionOf(query),
    coarsest: coarsestIn(query.widthMs),
  });
  const found = await points(db, query, usage);
  const asked = { key: bucketOf(sql`at`, query), usage };
  const isMixed = found.some((one) => one.is_mixed);
  const costs = isMixed ? await costsIn(db, asked) : [];
  return withLatencies(db, withCosts(found, costs), asked);
}
export type SeriesPoint = Awaited<ReturnType<typeof usageSeries>>[number];

const points = (db: Queryable, query: SeriesQuery, usage: SQLQuery) =>
  readRows(db, seriesPoint)`
    select ${bucketOf(sql`at`, query)} as bucket, ${bucketOf(sql`at`, query)}::text as key,
      ${usageColumns},
      ${sumOf('upstream_errors')}, ${sumOf('client_errors')},
      ${sumOf('refused_authorisation')}, ${sumOf('refused_rate_limit')}, ${sumOf('refused_budget')}
    from (${usage}) used
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
