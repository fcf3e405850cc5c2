// Reads what principals spent in an hour and in the same hour of earlier days, and stores the
// anomalies that a notification was sent for.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { flag, integer, readRows, readValue, text } from '../rows.ts';
import { unfiltered, usageIn } from './usage-range.ts';

/** The sum of all principals, which have ids from 1 on. */
export const allPrincipals = 0;

/**
 * Returns true for one of the control planes that ask within the interval. The claim is kept if the
 * transaction commits; until then, others do not wait for it.
 */
export async function claimSpendWatch(
  tx: Queryable,
  { at, due }: Readonly<{ at: Date; due: Date }>,
): Promise<boolean> {
  const isClaimed = await readValue(tx, flag)`
    with due as (
      select ctid from op.spend_watch
      where checked_at <= ${due.toISOString()}::timestamptz
        or checked_at > ${at.toISOString()}::timestamptz
      for update skip locked
    )
    update op.spend_watch held set checked_at = ${at.toISOString()}::timestamptz
    from due where held.ctid = due.ctid returning true`;
  return isClaimed ?? false;
}

const spending = z.object({ principal_id: integer, currency: text, micros: integer });
export type Spending = Readonly<z.output<typeof spending>>;

type Hour = Readonly<{
  hour: Date;
  /** Smaller sums are left out. Null means none. */
  fromMicros: number | null;
  /** Null means all. */
  principals: readonly number[] | null;
}>;

const hourMs = 3_600_000;
/** The number of sums that are read, the highest first. Given principals are all read. */
const readMax = 1_000;
const others = -1;

/**
 * Booked costs, corrections and estimates, by principal and currency, and the sum of all principals
 * by currency.
 */
export async function spentInHour(
  db: Queryable,
  { hour, fromMicros, principals }: Hour,
): Promise<Spending[]> {
  const usage = await usageIn(db, {
    ...rangeOf(hour),
    filter: unfiltered,
    dimension: 'principal',
    coarsest: 'hour',
  });
  return readRows(db, spending)`
    select coalesce(spender, ${allPrincipals})::bigint as principal_id, currency,
      least(sum(micros), ${Number.MAX_SAFE_INTEGER})::bigint as micros
    from (
      select ${spenderOf(principals)} as spender, currency, coalesce(cost_micros, 0)
        + coalesce(correction_micros, 0) + coalesce(estimated_cost_micros, 0) as micros
      from (${usage}) used
    ) spent
    group by grouping sets ((spender, currency), (currency))
    having sum(micros) >= coalesce(${fromMicros}::numeric, sum(micros)) and sum(micros) <> 0
      and coalesce(spender, ${allPrincipals}) <> ${others}
    order by sum(micros) desc limit ${principals === null ? readMax : null}`;
}

const rangeOf = (hour: Date) => ({
  since: hour.toISOString(),
  until: new Date(hour.getTime() + hourMs).toISOString(),
});

/** The sum of all needs the rows of the others too. */
const spenderOf = (principals: readonly number[] | null): SQLQuery =>
  principals === null
    ? sql`principal_id`
    : sql`case when principal_id = any(${[...principals]}::bigint[])
        then principal_id else ${others} end`;

/** An anomaly of an hour. */
export type SpendAnomalyKey = Readonly<{ hour: Date; principalId: number; currency: string }>;

const told = z.object({ principal_id: integer, currency: text });

/** The anomalies of the hour that a notification was sent for. */
export const toldAnomalies = (db: Queryable, hour: Date): Promise<z.output<typeof told>[]> =>
  readRows(db, told)`
    select principal_id, currency from op.spend_anomalies
    where hour = ${hour.toISOString()}::timestamptz`;

/** Returns true if no notification was sent for it. */
export async function addAnomaly(
  tx: Queryable,
  { hour, principalId, currency }: SpendAnomalyKey,
): Promise<boolean> {
  const isNew = await readValue(tx, flag)`
    insert into op.spend_anomalies (hour, principal_id, currency)
    values (${hour.toISOString()}::timestamptz, ${principalId}::bigint, ${currency})
    on conflict do nothing returning true`;
  return isNew ?? false;
}

export const forgetAnomalies = (tx: Queryable, before: Date): Promise<unknown> =>
  tx.query(sql`delete from op.spend_anomalies where hour < ${before.toISOString()}::timestamptz`);
