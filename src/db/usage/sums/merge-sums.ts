// Adds sums of a precision to the next coarser one, in one statement each, so that each request counts exactly once at any
// time. Sums of the same period and keys become one.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { sumPrecisions } from '../../../usage/pieces.ts';
import type { SumPrecision } from '../../../usage/pieces.ts';
import { flag, integer, readRow, readValue, time } from '../../rows.ts';
import { dimensions, histograms, keyNames, keys, sumNames, sumsOfSums } from './sum-columns.ts';

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
    if (isHeld !== true) return null;
    // Groups that do not fit are written to disk.
    await tx.query(sql`set local work_mem = '32MB'`);
    return work(tx);
  });

const columns = sql`dimension, ${keys}, is_rolled_up, ${sumNames}`;

/**
 * One statement merges about as many buckets of histograms. A delta has one for each request, so
 * the number of deltas does not bound the time that the statement needs.
 */
const bucketsMax = 50_000;

/**
 * Turns deltas of periods that began before `before` into sums of minutes, or of hours if minutes of that time are already
 * deleted. Returns the number of deltas; 0 if none is left.
 */
export const mergeDeltas = (
  db: Queryable,
  { before, limit }: Readonly<{ before: Date; limit: number }>,
): Promise<number | null> =>
  readValue(db, integer)`
    with oldest as (
      select ctid, period, coalesce(cardinality(duration_buckets), 0) as buckets from op.usage_sums
      where precision = 'delta' and period < ${before.toISOString()}::timestamptz and ${isCounted}
      order by period limit ${limit}
    ), due as (
      select ctid from (
        select ctid, sum(buckets) over (order by period, ctid) - buckets as buckets_before
        from oldest
      ) counted where buckets_before < ${bucketsMax}
    ), gone as (
      delete from op.usage_sums
      where precision = 'delta' and ctid = any(array(select ctid from due)) returning *
    ), given as (
      select row_number() over () as number, ${keys}, is_rolled_up, ${sumNames}, ${histograms},
        case when is_recent then 'minute' else 'hour' end as precision,
        case when is_recent then period else date_trunc('hour', period, 'UTC') end as period
      from (
        select *, period >= (select minutes_from - interval '1 hour' from op.usage_horizons)
          as is_recent
        from gone
      ) placed
    ), ${groupedBy(dimensionOfSet, sql`currency, grouping sets (${sql.join([...sets], sql`, `)})`)},
    kept as (${insertion({ isPending: true })})
    select count(*) from gone`;

type Asked = Readonly<{ precision: Exclude<SumPrecision, 'month'>; before: Date; limit: number }>;

const promoted = z.object({
  sums: integer,
  /** The periods of the sums. Null if there were none. */
  first: time.nullable(),
  last: time.nullable(),
});

/** Adds pending sums of periods before `before` to the next coarser precision. */
export const promoteSums = async (
  db: Queryable,
  { precision, before, limit }: Asked,
): Promise<z.output<typeof promoted>> => {
  const next = coarserThan(precision);
  const found = await readRow(db, promoted)`
      with due as (
        select ctid as place, * from op.usage_sums
        where precision = ${precision} and is_pending
          and period < ${before.toISOString()}::timestamptz
        order by period limit ${limit}
      ), given as (
        select row_number() over () as number, ${next} as precision,
          ${startIn(next)} as period, ${columns}, ${histograms}
        from due
      ), ${groupedBy(sql`dimension`, sql`dimension, ${keys}`)},
      added as (${insertion({ isPending: next !== 'month' })}),
      marked as (
        update op.usage_sums set is_pending = false
        where precision = ${precision} and ctid = any(array(select place from due))
      )
      select count(*) as sums, min(period) as first, max(period) as last from due`;
  return found ?? { sums: 0, first: null, last: null };
};

type Span = Readonly<{ precision: SumPrecision; first: Date; last: Date }>;

/** Sums of the same period and keys, which late rows cause, become one. */
export const compactSums = (db: Queryable, { precision, first, last }: Span): Promise<unknown> =>
  db.query(sql`
    with copies as (
      select array_agg(ctid) as places from op.usage_sums
      where precision = ${precision} and not is_pending
        and period >= ${first.toISOString()}::timestamptz
        and period <= ${last.toISOString()}::timestamptz
      group by period, dimension, ${keys} having count(*) > 1
    ), gone as (
      delete from op.usage_sums
      where precision = ${precision}
        and ctid = any(array(select unnest(places) from copies)) returning *
    ), given as (
      select row_number() over () as number, precision, period, ${columns}, ${histograms} from gone
    ), ${groupedBy(sql`dimension`, sql`dimension, ${keys}`)}
    ${insertion({ isPending: false })}`);

/** A delta of a recomputation of costs counts once that is applied. */
export const isCounted: SQLQuery = sql`
  (reprice_id is null or reprice_id in
    (select id from op.usage_reprices where applied_at is not null))`;

export const coarserThan = (precision: Asked['precision']): SumPrecision =>
  sumPrecisions[sumPrecisions.indexOf(precision) - 1] ?? 'month';

/** The start of the period of this precision. */
function startIn(precision: SumPrecision): SQLQuery {
  switch (precision) {
    case 'minute':
    case 'hour':
    case 'day':
    case 'month':
      return sql`date_trunc(${precision}, period, 'UTC')`;
    case 'five_minutes':
      return sql`date_bin('5 minutes', period, 'epoch')`;
    case 'six_hours':
      return sql`date_bin('6 hours', period, 'epoch')`;
    case 'ten_days':
      // Hours, because a day of the session's time zone can be longer.
      return sql`date_trunc('month', period, 'UTC')
        + least((extract(day from period at time zone 'UTC')::integer - 1) / 10, 2)
        * interval '240 hours'`;
  }
}

const dimensionNames = Object.entries(dimensions);

const groupable = keyNames.filter((name) => name !== 'currency');

/** The keys of each dimension, as grouping sets. */
const sets: readonly SQLQuery[] = dimensionNames.map(
  ([, names]) =>
    sql`(${sql.join(
      names.map((name) => sql.ident(name)),
      sql`, `,
    )})`,
);

/** The dimension that a grouping set belongs to. A bit is set for each column that is not in it. */
const dimensionOfSet: SQLQuery = sql`
  case grouping(${sql.join(
    groupable.map((name) => sql.ident(name)),
    sql`, `,
  )})
    ${sql.join(
      dimensionNames.map(([dimension, names]) => {
        const missing = groupable.map((name) => !names.some((one) => one === name));
        const bits = missing.reduce((sum, isMissing) => sum * 2 + Number(isMissing), 0);
        return sql`when ${bits} then ${dimension}`;
      }),
      sql` `,
    )} end`;

/**
 * Adds up the sums of `given` by group, with their histograms. The buckets of all groups are counted by one integer: the
 * number of the group, a bit for the kind of latency, and ten bits for the bucket.
 */
const groupedBy = (dimension: SQLQuery, grouping: SQLQuery): SQLQuery => sql`
  grouped as (
    select row_number() over () as place, keyed.* from (
      select precision, period, ${dimension} as dimension, ${keys},
        bool_or(is_rolled_up) as is_rolled_up, ${sumsOfSums}, array_agg(number) as numbers
      from given group by precision, period, ${grouping}
    ) keyed
  ), members as materialized (
    select place, duration_buckets, duration_counts, ttft_buckets, ttft_counts
    from (select place, unnest(numbers) as number from grouped) numbered
    join given using (number)
  ), histograms as (
    select slot >> 10 as kind, array_agg((slot & 1023)::smallint) as buckets,
      array_agg(requests_in) as counts
    from (
      select slot, sum(coalesce(requests_in, 1)::float8)::bigint as requests_in
      from (
        select (place << 11) + unnest(duration_buckets) as slot,
          unnest(duration_counts) as requests_in from members
        union all
        select (place << 11) + 1024 + unnest(ttft_buckets), unnest(ttft_counts) from members
      ) entries group by slot
    ) counted group by 1
  )`;

const insertion = ({ isPending }: Readonly<{ isPending: boolean }>): SQLQuery => sql`
  insert into op.usage_sums (precision, period, is_pending, ${columns}, ${histograms})
  select precision, period, ${isPending}::boolean, ${columns}, durations.buckets, durations.counts,
    ttfts.buckets, ttfts.counts
  from grouped
  left join histograms durations on durations.kind = place << 1
  left join histograms ttfts on ttfts.kind = (place << 1) + 1`;
