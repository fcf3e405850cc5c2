// Reads percentiles of latencies from the histograms of usage. They differ from the recorded values by at most one
// percent, and do not read or sort single requests.

import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { percentilesIn } from '../../usage/latency.ts';
import type { Percentiles } from '../../usage/latency.ts';
import { integer, readRows, text } from '../rows.ts';

const histogram = z.object({
  /** From 1 on, in the list of keys. */
  place: integer,
  is_ttft: integer,
  /** The numbers of an array, as text: the driver parses arrays several times slower. */
  buckets: text,
  counts: text,
});

/**
 * Merges the histograms of each group. A slot is a bucket of one kind of latency of one group: there are fewer than 1,024
 * buckets. One integer and floating-point counts, which are exact up to 2^53, make this several times faster.
 */
const mergedHistograms = (db: Queryable, { key, usage, keys }: Asked) =>
  readRows(db, histogram)`
    with placed as materialized (
      select place, duration_buckets, duration_counts, ttft_buckets, ttft_counts
      from (${usage}) used
      join unnest(${[...keys]}::text[]) with ordinality asked (name, place)
        on coalesce((${key})::text, '') = coalesce(name, '')
          and ((${key})::text is null) = (name is null)
    ), slots as (
      select (place << 11) + unnest(duration_buckets) as slot,
        unnest(duration_counts) as requests_in
      from placed
      union all
      select (place << 11) + 1024 + unnest(ttft_buckets), unnest(ttft_counts) from placed
    )
    select (slot >> 11)::bigint as place, (slot >> 10) & 1 as is_ttft,
      array_agg(slot & 1023)::text as buckets, array_agg(requests)::text as counts
    from (
      select slot, sum(coalesce(requests_in, 1)::float8) as requests from slots group by slot
    ) counted
    group by 1, 2`;

type Asked = Readonly<{ key: SQLQuery; usage: SQLQuery; keys: readonly (string | null)[] }>;

type Group = Readonly<{ key: string | null; is_rolled_up: boolean }>;

/** Adds percentiles, which are null if no backend answered, or if the latencies of some requests are unknown. */
export async function withLatencies<Sums extends Group>(
  db: Queryable,
  groups: readonly Sums[],
  usage: Pick<Asked, 'key' | 'usage'>,
) {
  const known = groups.filter((group) => !group.is_rolled_up).map(({ key }) => key);
  const found = known.length === 0 ? [] : await mergedHistograms(db, { ...usage, keys: known });
  const byKey = Map.groupBy(found, ({ place }) => known[place - 1] ?? null);
  return groups.map(({ is_rolled_up: _rolledUp, ...sums }) => {
    const own = byKey.get(sums.key) ?? [];
    const duration = percentilesOf(own.find((one) => one.is_ttft === 0));
    const ttft = percentilesOf(own.find((one) => one.is_ttft === 1));
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

const unknown: Percentiles = { p50: null, p95: null, p99: null };

const percentilesOf = (found: z.output<typeof histogram> | undefined): Percentiles =>
  found === undefined ? unknown : percentilesIn(numbersIn(found.buckets), numbersIn(found.counts));

const numbersIn = (array: string): readonly number[] => array.slice(1, -1).split(',').map(Number);
