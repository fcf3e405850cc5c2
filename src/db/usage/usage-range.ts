// Usage of a time, from rows and from hourly roll-ups alike: what a total or a series is made of. What was rolled up has its sums,
// but neither single times nor the order among them.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

/**
 * Half open. A roll-up belongs to the range in which its hour begins, so that neighbouring ranges hold each request once.
 * RFC 3339; null is no bound.
 */
export type UsageRange = Readonly<{ since: string | null; until: string | null }>;

/** Null is anything. */
export type UsageFilter = Readonly<{
  model: string | null;
  provider: string | null;
  principalId: number | null;
}>;

export const unfiltered: UsageFilter = { model: null, provider: null, principalId: null };

/**
 * Whose fault an answer is: a 401 or 403 is said to the gateway's own credential and a 429 to the load on the backend, so they are
 * the upstream's; any other 4xx is the client's.
 */
export const isUpstreamError: SQLQuery = sql`(refusal is null and (status >= 500 or status in (401, 403, 429)))`;
export const isClientError: SQLQuery = sql`
  (refusal is null and status between 400 and 499 and status not in (401, 403, 429))`;

/** A refused request has no cost and is not unpriced. */
export const isUnpriced: SQLQuery = sql`(cost_micros is null and refusal is null)`;

/** Attempts that another one followed, and all attempts of a request that no backend answered. */
const failedAttempts: SQLQuery = sql`greatest(attempts - (refusal is null)::integer, 0)`;

/**
 * Each row stands for `requests` requests; `is_rolled_up` says that the times are sums of so many, and their statuses not known.
 * `upstream_status` is null where no backend answered.
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
