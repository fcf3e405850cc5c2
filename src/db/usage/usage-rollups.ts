// Rolls up usage after its retention into hourly sums, drops empty months, and creates coming
// months.

import { sql } from '@databases/pg';

import type { Database } from '../pool.ts';
import { flag, integer, readValue } from '../rows.ts';
import { isClientError, isUnpriced, isUpstreamError } from './usage-range.ts';

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
    if (isHeld !== true) return null;
    return readValue(tx, integer)`
      with due as (
        select id, at from op.usage_events
        where at < ${horizon.toISOString()}::timestamptz
          and received_at < ${settled.toISOString()}::timestamptz
        order by at limit ${limit}
      ), gone as (
        delete from op.usage_events held using due
        where held.id = due.id and held.at = due.at
        returning held.*
      ), keyed as (
        select *, date_trunc('hour', at at time zone 'UTC') at time zone 'UTC' as hour,
          sha256(convert_to(jsonb_build_array(principal_id, principal, model, provider,
            virtual_model, tag, refusal, budget_window)::text, 'UTF8')) as key
        from gone
      ), folded as (
        insert into op.usage_hours as held (hour, key, principal_id, principal, model, provider,
          virtual_model, tag, refusal, budget_window, requests, upstream_errors, client_errors,
          unpriced_requests, prompt_tokens, completion_tokens, cost_micros, estimated_requests,
          estimated_prompt_tokens, estimated_completion_tokens, estimated_cost_micros, duration_ms)
        select hour, key, principal_id, principal, model, provider,
          virtual_model, tag, refusal, budget_window, count(*),
          count(*) filter (where ${isUpstreamError}), count(*) filter (where ${isClientError}),
          count(*) filter (where ${isUnpriced}),
          coalesce(sum(prompt_tokens) filter (where not usage_estimated), 0),
          coalesce(sum(completion_tokens) filter (where not usage_estimated), 0),
          sum(cost_micros), count(*) filter (where usage_estimated),
          coalesce(sum(prompt_tokens) filter (where usage_estimated), 0),
          coalesce(sum(completion_tokens) filter (where usage_estimated), 0),
          sum(estimated_cost_micros), sum(duration_ms)
        from keyed
        group by hour, key, principal_id, principal, model, provider, virtual_model, tag, refusal,
          budget_window
        on conflict (hour, key) do update set
          requests = held.requests + excluded.requests,
          upstream_errors = held.upstream_errors + excluded.upstream_errors,
          client_errors = held.client_errors + excluded.client_errors,
          unpriced_requests = held.unpriced_requests + excluded.unpriced_requests,
          prompt_tokens = held.prompt_tokens + excluded.prompt_tokens,
          completion_tokens = held.completion_tokens + excluded.completion_tokens,
          cost_micros = case when excluded.cost_micros is null then held.cost_micros
            else coalesce(held.cost_micros, 0) + excluded.cost_micros end,
          estimated_requests = held.estimated_requests + excluded.estimated_requests,
          estimated_prompt_tokens = held.estimated_prompt_tokens + excluded.estimated_prompt_tokens,
          estimated_completion_tokens =
            held.estimated_completion_tokens + excluded.estimated_completion_tokens,
          estimated_cost_micros = case when excluded.estimated_cost_micros is null
            then held.estimated_cost_micros
            else coalesce(held.estimated_cost_micros, 0) + excluded.estimated_cost_micros end,
          duration_ms = held.duration_ms + excluded.duration_ms
      )
      select count(*) from gone`;
  });

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
