// Reads percentiles of latencies from the histograms of usage. They differ from the recorded values by at most one
// percent, and do not read or sort single requests.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { latencyOf } from '../../usage/latency.ts';
import { flag, integer, readRows, text } from '../rows.ts';

const bucket = integer.nullable();
const percentileRow = z.object({
  key: text.nullable(),
  is_ttft: flag,
  p50: bucket,
  p95: bucket,
  p99: bucket,
});
type PercentileRow = Readonly<z.output<typeof percentileRow>>;

const atLeast = (fraction: number): SQLQuery =>
  sql`min(bucket) filter (where requests_upto >= ${fraction}::numeric * requests)`;

const percentileRows = (db: Queryable, { key, usage, keys }: Asked) =>
  readRows(db, percentileRow)`
    select key, is_ttft, ${atLeast(0.5)} as p50, ${atLeast(0.95)} as p95, ${atLeast(0.99)} as p99
    from (
      select key, is_ttft, bucket,
        sum(requests) over (partition by key, is_ttft order by bucket) as requests_upto,
        sum(requests) over (partition by key, is_ttft) as requests
      from (
        select key, is_ttft, bucket, sum(coalesce(requests_in, 1)) as requests
        from (
          select (${key})::text as key, duration_buckets, duration_counts, ttft_buckets, ttft_counts
          from (${usage}) used
        ) keyed, lateral (
          select false as is_ttft, bucket, requests_in
          from unnest(duration_buckets, duration_counts) as counted (bucket, requests_in)
          union all
          select true, bucket, requests_in
          from unnest(ttft_buckets, ttft_counts) as counted (bucket, requests_in)
        ) latencies
        where ${isAmong(keys)}
        group by key, is_ttft, bucket
      ) counted
    ) placed
    group by key, is_ttft`;

const isAmong = (keys: readonly (string | null)[]): SQLQuery => sql`
  (key = any(${keys.filter((key) => key !== null)}::text[])
    or (key is null and ${keys.includes(null)}))`;

type Asked = Readonly<{ key: SQLQuery; usage: SQLQuery; keys: readonly (string | null)[] }>;

type Group = Readonly<{ key: string | null; is_rolled_up: boolean }>;

/** Adds percentiles, which are null if no backend answered, or if the latencies of some requests are unknown. */
export async function withLatencies<Sums extends Group>(
  db: Queryable,
  groups: readonly Sums[],
  usage: Pick<Asked, 'key' | 'usage'>,
) {
  const known = groups.filter((group) => !group.is_rolled_up).map(({ key }) => key);
  const found = known.length === 0 ? [] : await percentileRows(db, { ...usage, keys: known });
  const byKey = Map.groupBy(found, ({ key }) => key);
  return groups.map(({ is_rolled_up: _rolledUp, ...sums }) => {
    const own = byKey.get(sums.key) ?? [];
    const duration = percentilesOf(own.find((one) => !one.is_ttft));
    const ttft = percentilesOf(own.find((one) => one.is_ttft));
    return Object.assign(sums, {
      p50_ms: duration.p50,
      p95_ms: duration.p95,
      p99_ms: duration.p99,
      ttft_p50_ms: ttft.p50,
      ttft_p95_ms: ttft.p95,
      ttft_p99_ms: ttft.p99,
    });
  });
}

const percentilesOf = (row: PercentileRow | undefined) => ({
  p50: latencyIn(row?.p50),
  p95: latencyIn(row?.p95),
  p99: latencyIn(row?.p99),
});

const latencyIn = (found: number | null | undefined): number | null =>
  found === null || found === undefined ? null : latencyOf(found);
