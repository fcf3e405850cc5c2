// Reads percentiles of latencies from the histograms of usage. They differ from the recorded values by at most one
// percent, and do not read or sort single requests.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { latencyOf } from '../../usage/latency.ts';
import { flag, integer, readRows } from '../rows.ts';

const bucket = integer.nullable();
const percentileRow = z.object({
  /** From 1 on, in the list of keys. */
  place: integer,
  is_ttft: flag,
  p50: bucket,
  p95: bucket,
  p99: bucket,
});
type PercentileRow = Readonly<z.output<typeof percentileRow>>;

const atLeast = (fraction: number): SQLQuery =>
  sql`min(slot & 1023) filter (where requests_upto >= ${fraction}::float8 * requests)`;

/**
 * A slot is a bucket of one kind of latency of one group: there are fewer than 1,024 buckets. One
 * integer and floating-point counts, which are exact up to 2^53, make this several times faster.
 */
const percentileRows = (db: Queryable, { key, usage, keys }: Asked) =>
  readRows(db, percentileRow)`
    with placed as materialized (
      select array_position(${[...keys]}::text[], (${key})::text) as place,
        duration_buckets, duration_counts, ttft_buckets, ttft_counts
      from (${usage}) used
    ), slots as (
      select (place << 11) + unnest(duration_buckets) as slot,
        unnest(duration_counts) as requests_in
      from placed where place is not null
      union all
      select (place << 11) + 1024 + unnest(ttft_buckets), unnest(ttft_counts)
      from placed where place is not null
    )
    select (kind >> 1)::bigint as place, kind & 1 = 1 as is_ttft,
      ${atLeast(0.5)} as p50, ${atLeast(0.95)} as p95, ${atLeast(0.99)} as p99
    from (
      select kind, slot, sum(requests) over (partition by kind order by slot) as requests_upto,
        sum(requests) over (partition by kind) as requests
      from (
        select slot >> 10 as kind, slot, sum(coalesce(requests_in, 1)::float8) as requests
        from slots group by slot
      ) counted
    ) ranked
    group by kind`;

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
  const byKey = Map.groupBy(found, ({ place }) => known[place - 1] ?? null);
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
