// Selects the usage of a time range from rows and hourly roll-ups, for totals and series. Roll-ups
// have sums, but no individual times or order.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

/**
 * RFC 3339, with an exclusive end; null sets no bound. A roll-up belongs to the range in which its
 * hour begins, so that adjacent ranges count each request once.
 */
export type UsageRange = Readonly<{ since: string | null; until: string | null }>;

/** Null matches everything. */
export type UsageFilter = Readonly<{
  model: string | null;
  provider: string | null;
  principalId: number | null;
}>;

export const unfiltered: UsageFilter = { model: null, provider: null, principalId: null };

/**
 * Classifies errors. A 401 or 403 concerns the gateway's own credential and a 429 the backend's
 * load, so they are upstream errors; other 4xx are client errors.
 */
export const isUpstreamError: SQLQuery = sql`(refusal is null and (status >= 500 or status in (401, 403, 429)))`;
export const isClientError: SQLQuery = sql`
  (refusal is null and status between 400 and 499 and status not in (401, 403, 429))`;

/** A refused request has no cost and does not count as unpriced. */
export const isUnpriced: SQLQuery = sql`(cost_micros is null and refusal is null)`;

/**
 * Attempts that were followed by another, and all attempts of a request that no backend answered.
 */
const failedAttempts: SQLQuery = sql`greatest(attempts - (refusal is null)::integer, 0)`;

/**
 * Each row represents `requests` requests. If `is_rolled_up`, times are sums and statuses unknown.
 * `upstream_status` is null if no backend answered.
 */
export const usageIn = ({ since, until }: UsageRange, filter: UsageFilter): SQLQuery => sql`
  select at, false as is_rolled_up, principal, model, provider, virtual_model, tag, refusal,
    1::bigint as requests, ${isUpstreamError}::integer::bigint as upstream_errors,
    ${isClientError}::integer::bigint as client_errors,
    ${isUnpriced}::integer::bigint as unpriced_requests,
    case when usage_estimated then 0 else prompt_tokens end::numeric as prompt_tokens,
    case when usage_estimated then 0 else completion_tokens end::numeric as completion_tokens,
    cost_micros::numeric, usage_estimated::integer::bigint as estimated_requests,
    case when usage_estimated then prompt_tokens else 0 end::numeric as estimated_prompt_tokens,
    case when usage_estimated then completion_tokens else 0 end::numeric
      as estimated_completion_tokens,
    estimated_cost_micros::numeric,
    duration_ms::numeric, ttft_ms,
    case when refusal is null and not cached then status end as upstream_status,
    ${failedAttempts} as failed_attempts
  from op.usage_events
  where ${within(sql`at`, { since, until })} and ${matching(filter)}
  union all
  select hour, true, principal, model, provider, virtual_model, tag, refusal,
    requests, upstream_errors, client_errors, unpriced_requests,
    prompt_tokens, completion_tokens, cost_micros, estimated_requests, estimated_prompt_tokens,
    estimated_completion_tokens, estimated_cost_micros, duration_ms, null, null, null
  from op.usage_hours
  where ${within(sql`hour`, { since, until })} and ${matching(filter)}`;

const within = (column: SQLQuery, { since, until }: UsageRange): SQLQuery => sql`
  (${since}::timestamptz is null or ${column} >= ${since}::timestamptz)
  and (${until}::timestamptz is null or ${column} < ${until}::timestamptz)`;

const matching = ({ model, provider, principalId }: UsageFilter): SQLQuery => sql`
  (${model}::text is null or model = ${model})
  and (${provider}::text is null or provider = ${provider})
  and (${principalId}::bigint is null or principal_id = ${principalId})`;
