// Adds rows and corrections of usage to the sums, as deltas: one for each minute and combination of keys. Deltas are only
// inserted, so concurrent batches do not wait for each other.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import { integer, readValue } from '../../rows.ts';
import { currencyOf } from '../usage-amounts.ts';
import {
  keyNames,
  keys,
  latencyBucket,
  sumNames,
  sumsOfSums,
  valuesOfCorrection,
  valuesOfRow,
} from './sum-columns.ts';

const namesBeforeCurrency = sql.join(
  keyNames.filter((name) => name !== 'currency').map((name) => sql.ident(name)),
  sql`, `,
);

/** Inserts the sums of these rows of op.usage_events. Used in the statement that stores them. */
export const deltasOfRows = (rows: SQLQuery): SQLQuery => sql`
  insert into op.usage_sums (precision, period, dimension, is_pending, ${keys}, ${sumNames},
    duration_buckets, ttft_buckets)
  select 'delta', minute, '', true, ${keys}, ${sumsOfSums}, array_agg(duration_bucket)
    filter (where duration_bucket is not null),
    array_agg(ttft_bucket) filter (where ttft_bucket is not null)
  from (
    select date_trunc('minute', at) as minute, ${namesBeforeCurrency},
      ${currencyOf(sql`currency`)} as currency, ${valuesOfRow},
      ${latencyBucket(sql`duration_ms`)} as duration_bucket,
      ${latencyBucket(sql`ttft_ms`)} as ttft_bucket
    from ${rows}
  ) valued
  group by minute, ${keys}`;

/** Inserts the sums of these rows of op.usage_corrections, which count once they are applied. */
export const deltasOfCorrections = (made: SQLQuery): SQLQuery => sql`
  insert into op.usage_sums (precision, period, dimension, is_pending, reprice_id, ${keys},
    ${sumNames})
  select 'delta', minute, '', true, reprice_id, ${keys}, ${sumsOfSums}
  from (
    select date_trunc('minute', held.at) as minute, reprice_id, ${namesBeforeCurrency},
      made.currency, ${valuesOfCorrection}
    from ${made} made join op.usage_events held on held.id = made.usage_id and held.at = made.at
  ) valued
  group by minute, reprice_id, ${keys}`;

/**
 * Adds rows that are not in the sums, newest first: those of before the sums, and of older control
 * planes. Returns their number. Finds rows by their place: a join could read all rows of a restored database, which has
 * no statistics.
 */
export const sumUnsummed = (db: Queryable, limit: number): Promise<number | null> =>
  readValue(db, integer)`
    with due as (
      select tableoid as part, ctid as place from op.usage_events where not is_summed
      order by at desc limit ${limit} for update skip locked
    ), marked as (
      update op.usage_events set is_summed = true
      where ctid = any(array(select place from due))
        and (tableoid, ctid) in (select part, place from due) returning *
    ), added as (${deltasOfRows(sql`marked`)})
    select count(*) from marked`;
