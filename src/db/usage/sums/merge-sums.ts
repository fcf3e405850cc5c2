// Merges sums of a precision and adds them to the next coarser one, in one statement each, so that each request counts
// exactly once at any time.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { Database } from '../../pool.ts';
import { flag, integer, readValue } from '../../rows.ts';
import {
  dimensions,
  histograms,
  keyNames,
  keys,
  noSums,
  sumNames,
  sumsOfSums,
} from './sum-columns.ts';

/** Locked by the replica that merges. */
const sumLock = 7_100_009;

/** Waits for a merge that is under way, and keeps others from starting. */
export const lockSums = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${sumLock})`);

/** Returns null while another replica merges. */
export const holdSums = <Result>(
  db: Database,
  work: (tx: Queryable) => Promise<Result>,
): Promise<Result | null> =>
  db.tx(async (tx) => {
    const isHeld = await readValue(tx, flag)`select pg_try_advisory_xact_lock(${sumLock})`;
    return isHeld === true ? work(tx) : null;
  });

/** The precision whose sums are merged. */
export type Merged = 'delta' | 'hour' | 'day' | 'month';

type Step = Readonly<{
  /** The precision of the merged sums. Deltas become minutes. */
  own: 'minute' | 'hour' | 'day' | 'month';
  next: 'hour' | 'day' | 'month' | null;
}>;

const steps: Readonly<Record<Merged, Step>> = {
  delta: { own: 'minute', next: 'hour' },
  hour: { own: 'hour', next: 'day' },
  day: { own: 'day', next: 'month' },
  month: { own: 'month', next: null },
};

/** Sums of periods that began before `before` are merged. */
type Asked = Readonly<{ precision: Merged; before: Date; limit: number }>;

/**
 * One statement merges about as many buckets of histograms. A delta has one for each request, so
 * the number of deltas does not bound the time that the statement needs.
 */
const bucketsMax = 50_000;

/** Returns the number of sums that were merged; 0 if none is left. */
export const mergeSums = (
  db: Queryable,
  { precision, before, limit }: Asked,
): Promise<number | null> => {
  const { own, next } = steps[precision];
  const columns = sql`dimension, ${keys}, is_rolled_up, ${sumNames}, ${histograms}`;
  const promoted =
    next === null
      ? sql``
      : sql`, promoted as (
          insert into op.usage_sums (precision, period, is_pending, ${columns})
          select ${next}, period, true, ${columns}
          from (${merged(sql`date_trunc(${next}, period, 'UTC')`, sql`merged`)}) coarser
        )`;
  return readValue(db, integer)`
    with oldest as (
      select ctid, period, coalesce(cardinality(duration_buckets), 0) as buckets from op.usage_sums
      where precision = ${precision} and is_pending
        and period < ${before.toISOString()}::timestamptz and ${isCounted}
      order by period limit ${limit}
    ), due as (
      select ctid from (
        select ctid, sum(buckets) over (order by period, ctid) - buckets as buckets_before
        from oldest
      ) counted where buckets_before < ${bucketsMax}
    ), gone as (
      delete from op.usage_sums
      where precision = ${precision} and ctid = any(array(select ctid from due)) returning *
    ), merged as (${merged(sql`period`, precision === 'delta' ? byDimension : sql`gone`)}),
    kept as (
      insert into op.usage_sums (precision, period, is_pending, ${columns})
      select ${own}, period, false, ${columns} from merged
      where ${own} <> 'minute' or period >= (select minutes_from from op.usage_horizons)
    )${promoted}
    select count(*) from gone`;
};

/** A delta of a recomputation of costs counts once that is applied. */
export const isCounted: SQLQuery = sql`
  (reprice_id is null or reprice_id in
    (select id from op.usage_reprices where applied_at is not null))`;

/** Each delta once for each dimension, with the keys that the dimension has. */
const byDimension: SQLQuery = sql`
  (select period, dimensions.dimension, ${sql.join(keyNames.map(keyIn), sql`, `)}, is_rolled_up,
    ${sumNames}, ${histograms}
  from gone, unnest(${Object.keys(dimensions)}::text[]) as dimensions (dimension)) dimensioned`;

function keyIn(name: (typeof keyNames)[number]): SQLQuery {
  if (name === 'currency') return sql`currency`;
  const having = Object.entries(dimensions).flatMap(([dimension, names]) =>
    names.some((one) => one === name) ? [dimension] : [],
  );
  return sql`case when dimensions.dimension = any(${having}::text[]) then ${sql.ident(name)} end
    as ${sql.ident(name)}`;
}

/** One sum of each period and keys. */
const merged = (period: SQLQuery, sums: SQLQuery): SQLQuery => sql`
  select period, dimension, ${keys}, bool_or(is_rolled_up) as is_rolled_up, ${sumsOfSums},
    array_agg(duration_bucket) filter (where duration_bucket is not null) as duration_buckets,
    array_agg(requests_in) filter (where duration_bucket is not null) as duration_counts,
    array_agg(ttft_bucket) filter (where ttft_bucket is not null) as ttft_buckets,
    array_agg(requests_in) filter (where ttft_bucket is not null) as ttft_counts
  from (
    select period, dimension, ${keys}, bool_or(is_rolled_up) as is_rolled_up, ${sumsOfSums},
      duration_bucket, ttft_bucket, sum(requests_in)::bigint as requests_in
    from (
      select ${period} as period, dimension, ${keys}, is_rolled_up, ${sumNames},
        null::smallint as duration_bucket, null::smallint as ttft_bucket,
        null::bigint as requests_in
      from ${sums}
      union all
      select ${period}, dimension, ${keys}, false, ${noSums}, bucket, null, coalesce(requests_in, 1)
      from ${sums}, unnest(duration_buckets, duration_counts) as counted (bucket, requests_in)
      union all
      select ${period}, dimension, ${keys}, false, ${noSums}, null, bucket, coalesce(requests_in, 1)
      from ${sums}, unnest(ttft_buckets, ttft_counts) as counted (bucket, requests_in)
    ) entries
    group by period, dimension, ${keys}, duration_bucket, ttft_bucket
  ) bucketed
  group by period, dimension, ${keys}`;
