// Rolls up usage after its retention into hourly sums, drops empty months, and creates coming
// months.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { Database } from '../pool.ts';
import { flag, integer, readValue } from '../rows.ts';
import {
  addedAmounts,
  amountNames,
  amountsOfCorrection,
  amountsOfRow,
  amountSums,
} from './usage-amounts.ts';

/** Locked by the replica that rolls up. */
const foldLock = 7_100_004;

export type Fold = Readonly<{
  /** The start of an hour; older rows are rolled up. */
  horizon: Date;
  /** Rows received since then stay, so that a repeated report is still recognised by its id. */
  settled: Date;
  limit: number;
}>;

/**
 * Moves rows into their hours in one statement, so that each is counted exactly once at any time.
 * Returns their number; null while another replica does this.
 */
export const foldUsage = (
  db: Database,
  { horizon, settled, limit }: Fold,
): Promise<number | null> =>
  db.tx(async (tx) => {
    const isHeld = await readValue(tx, flag)`select pg_try_advisory_xact_lock(${foldLock})`;
    if (isHeld !== true || (await isRepricing(tx)) === true) return null;
    const isArchived = (await readValue(tx, flag)`select is_on from op.usage_archive`) === true;
    if (isArchived && (await awaitsCorrections(tx)) === true) return null;
    return readValue(tx, integer)`
      with due as (
        ${(isArchived ? dueArchived : dueRows)({ horizon, settled, limit })}
      ), gone as (
        delete from op.usage_events held using due
        where held.id = due.id and held.at = due.at
        returning held.*
      ), corrected as (
        delete from op.usage_corrections c using gone, op.usage_reprices reprice
        where c.usage_id = gone.id and c.at = gone.at and reprice.id = c.reprice_id
        returning gone.*, c.currency as corrected_currency, c.delta_micros,
          c.estimated_delta_micros, c.priced,
          reprice.applied_at is not null as is_applied
      ), entries as (
        select ${hourOf} as hour, ${groupColumns}, currency, ${amountsOfRow},
          duration_ms::numeric, (run is not null)::integer as numbered
        from gone
        union all
        select ${hourOf}, ${groupColumns}, corrected_currency,
          ${amountsOfCorrection}, 0, 0
        from corrected where is_applied
      ), folded as (
        insert into op.usage_hours as held
          (hour, key, ${groupColumns}, currency, ${amountNames}, duration_ms, numbered_requests)
        select hour, ${keyOf}, ${groupColumns}, currency, ${amountSums}, sum(duration_ms),
          sum(numbered)
        from entries group by hour, ${groupColumns}, currency
        on conflict (hour, key) do update set ${addedAmounts},
          duration_ms = held.duration_ms + excluded.duration_ms,
          numbered_requests = held.numbered_requests + excluded.numbered_requests
      ), totals as (
        insert into op.usage_fold_totals as held ${foldTotals(sql`entries`)}
        on conflict (day) do update set
          requests = held.requests + excluded.requests,
          prompt_tokens = held.prompt_tokens + excluded.prompt_tokens,
          completion_tokens = held.completion_tokens + excluded.completion_tokens,
          amounts = held.amounts + excluded.amounts
      ), numbers as (
        select replica, run, range_agg(int8range(seq, seq, '[]')) as seqs
        from gone where run is not null group by replica, run
      ), held_runs as (
        select held.replica, held.run, seqs from op.usage_runs held
        join numbers on numbers.replica = held.replica and numbers.run = held.run
        order by held.replica, held.run for update of held
      ), numbered as (
        update op.usage_runs held set folded = held.folded + seqs from held_runs
        where held.replica = held_runs.replica and held.run = held_runs.run
      )
      select count(*) from gone`;
  });

/** Waits until no rows are being rolled up, and keeps others from it until the transaction ends. */
export const lockFolds = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${foldLock})`);

/** A recomputation of costs that wrote no page for longer has stopped. */
export const isHeard = sql`heard_at > clock_timestamp() - interval '1 minute'`;

/**
 * True while costs are recomputed: their rows must stay until the corrections are applied. One that
 * has stopped is marked, so that it can never continue. Waits for a page that is being written, and
 * for corrections that are being applied.
 */
const isRepricing = (tx: Queryable): Promise<boolean | null> =>
  readValue(tx, flag)`
    update op.usage_reprices set heard_at = case when ${isHeard} then heard_at else '-infinity' end
    where applied_at is null returning heard_at > '-infinity'`;

/** True while there are corrections that the archive does not have. */
const awaitsCorrections = (tx: Queryable): Promise<boolean | null> =>
  readValue(tx, flag)`
    select exists (select from op.usage_reprices
      where applied_at is not null and archived_at is null)`;

const mayGo = ({ horizon, settled }: Fold): SQLQuery => sql`
  at < ${horizon.toISOString()}::timestamptz
  and received_at < ${settled.toISOString()}::timestamptz and is_summed`;

const dueRows = (fold: Fold): SQLQuery => sql`
  select id, at from op.usage_events where ${mayGo(fold)} order by at limit ${fold.limit}`;

/**
 * With an archive, rows stay until it has them and their hour was read back. Reads only the rows of
 * such hours, because rows of all other hours may wait for long.
 */
const dueArchived = (fold: Fold): SQLQuery => sql`
  select due.id, due.at from (
    select hour, done from op.usage_archive_hours
    where verified_at > now() - interval '2 days'
      and hour < ${fold.horizon.toISOString()}::timestamptz
    order by hour
  ) archived cross join lateral (
    select id, at from op.usage_events
    where at >= archived.hour and at < archived.hour + interval '1 hour' and ${mayGo(fold)}
      and coalesce(archive_generation, 0) <= archived.done
    order by at limit ${fold.limit}
  ) due limit ${fold.limit}`;

const groupColumns = sql`
  principal_id, principal, model, provider, virtual_model, tag, service_tier, refusal,
  budget_window`;

const hourOf = sql`date_trunc('hour', at at time zone 'UTC') at time zone 'UTC'`;

/** The columns are too long for an index and may be null. */
const keyOf = sql`
  sha256(convert_to(jsonb_build_array(${groupColumns}, currency)::text, 'UTF8'))`;

/** The control totals of these hours by day. */
export const foldTotals = (hours: SQLQuery): SQLQuery => sql`
  select (hour at time zone 'UTC')::date as day, sum(requests) as requests,
    sum(prompt_tokens + estimated_prompt_tokens) as prompt_tokens,
    sum(completion_tokens + estimated_completion_tokens) as completion_tokens,
    sum(coalesce(cost_micros, 0) + coalesce(correction_micros, 0)
      + coalesce(estimated_cost_micros, 0)) as amounts
  from ${hours} group by 1`;

/** Returns the number of dropped months. */
export async function dropEmptyMonths(db: Database, horizon: Date): Promise<number> {
  const dropped = await readValue(db, integer)`
    select op.drop_empty_usage_months(${horizon.toISOString()}::timestamptz)`;
  return dropped ?? 0;
}

/** Creates months in advance, so that no report waits for it. */
export async function makeMonths(db: Database, moments: readonly Date[]): Promise<void> {
  for (const moment of moments) {
    await db.query(sql`select op.ensure_usage_month(${moment.toISOString()}::timestamptz)`);
  }
}

export async function isRolledUp(
  db: Pick<Database, 'query'>,
  { since, until }: Readonly<{ since: Date; until: Date }>,
): Promise<boolean> {
  const isFound = await readValue(db, flag)`
    select exists (select from op.usage_hours
      where hour >= ${since.toISOString()}::timestamptz
        and hour < ${until.toISOString()}::timestamptz)`;
  return isFound ?? false;
}

/** Series of more rows are read from sums, in wider buckets. */
const denseRows = 50_000;

export async function isDense(
  db: Pick<Database, 'query'>,
  { since, until }: Readonly<{ since: Date; until: Date }>,
): Promise<boolean> {
  const rows = await readValue(db, integer)`
    select count(*) from (select from op.usage_events
      where at >= ${since.toISOString()}::timestamptz and at < ${until.toISOString()}::timestamptz
      limit ${denseRows + 1}) counted`;
  return (rows ?? 0) > denseRows;
}
