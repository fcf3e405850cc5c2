// Summarizes the usage rows that match a filter: totals, percentiles and histograms.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { idents } from '../columns.ts';
import { integer, readRow, time } from '../rows.ts';
import { boundedSum } from './sums/sum-columns.ts';
import { isFailed, matching, rowMeasures, scanned } from './usage-filter.ts';
import type { UsageEventFilter } from './usage-filter.ts';

const measures = ['duration_ms', 'ttft_ms', 'tokens', 'cost_micros'] as const;

/** In the order of their groups. */
const grouped = ['at', ...measures] as const;

const percentiles = z.tuple([integer, integer, integer]).nullable();

const summary = z.object({
  requests: integer,
  failed: integer,
  cached: integer,
  tokens: integer.nullable(),
  cost_micros: integer.nullable(),
  priced: integer,
  /** The 50th, 95th and 99th. */
  durations: percentiles,
  ttfts: percentiles,
  costs: percentiles,
  /** Older rows were not read. Null if all were. */
  read_since: time.nullable(),
  buckets: z
    .array(
      z.object({
        of: z.enum(grouped),
        /** 0 is before the first bound. */
        bucket: integer,
        requests: integer,
        failed: integer,
      }),
    )
    .nullable(),
});
export type UsageSummary = Readonly<z.output<typeof summary>>;

type Asked = Readonly<{
  filter: UsageEventFilter;
  /** Epoch milliseconds. */
  startMs: number;
  widthMs: number;
  /** Ascending. */
  bounds: readonly number[];
  /** Rows that the statement reads. */
  rows: number;
}>;

const all = sql`
  at, refusal, status, currency, cost_micros, duration_ms, ttft_ms, prompt_tokens,
  completion_tokens, cached, key_id, model, virtual_model, provider, tag, prompt_class,
  service_tier, path, replica, stream`;

const percentilesOf = (value: SQLQuery): SQLQuery => sql`
  array_to_json(percentile_disc(array[0.5, 0.95, 0.99]) within group (order by ${value}))`;

export async function summarizeUsage(
  db: Queryable,
  { filter, startMs, widthMs, bounds, rows }: Asked,
): Promise<UsageSummary> {
  const measured = measures.map((name) => sql`${rowMeasures[name]} as ${sql.ident(name)}`);
  const placed = measures.map(
    (name) => sql`width_bucket(${sql.ident(name)}, ${[...bounds]}::bigint[])::bigint`,
  );
  // Unlike extract, date_part has a fast type. Milliseconds are exact in it.
  const at = sql`floor((date_part('epoch', at) * 1000 - ${startMs}) / ${widthMs})::bigint`;
  const found = await readRow(db, summary)`
    with read as materialized (
      select at, ${isFailed} as failed, cached, ${sql.join(measured, sql`, `)},
        ${matching(filter)} as matches
      from ${scanned(filter, { columns: all, after: null, rows })}
    ), matched as (
      select failed, cached, ${idents(grouped)} from read where matches
    ), placed as (
      select failed, ${sql.join(
        [at, ...placed].map((value, index) => sql`${value} as ${sql.ident(grouped[index] ?? '')}`),
        sql`, `,
      )}
      from matched
    ), buckets as (
      select case ${sql.join(
        grouped.map((name) => sql`when grouping(${sql.ident(name)}) = 0 then ${name}`),
        sql` `,
      )} end as of,
        coalesce(${idents(grouped)}) as bucket,
        count(*) as requests, count(*) filter (where failed) as failed
      from placed
      group by grouping sets (${sql.join(
        grouped.map((name) => sql`(${sql.ident(name)})`),
        sql`, `,
      )})
    )
    select count(*) as requests, count(*) filter (where failed) as failed,
      count(*) filter (where cached) as cached, ${boundedSum(sql`tokens`)} as tokens,
      ${boundedSum(sql`cost_micros`)} as cost_micros, count(cost_micros) as priced,
      ${percentilesOf(sql`duration_ms`)} as durations, ${percentilesOf(sql`ttft_ms`)} as ttfts,
      ${percentilesOf(sql`cost_micros`)} as costs,
      (select case when count(*) >= ${rows} then min(at) end from read) as read_since,
      (select json_agg(json_build_object('of', of, 'bucket', bucket, 'requests', requests,
        'failed', failed)) from buckets where bucket is not null) as buckets
    from matched`;
  if (found === null) throw new Error('the summary of usage has no row');
  return found;
}
