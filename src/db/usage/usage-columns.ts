// Builds the columns that aggregate usage, by group or by time bucket, over the rows of
// usage-range.ts.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { integer } from '../rows.ts';

/**
 * Larger sums, which only a faulty report can cause, are capped at this: answers hold no larger
 * integers.
 */
const mostExact = Number.MAX_SAFE_INTEGER;

/** Does not use `least`, because it ignores nulls, and a sum without prices must stay null. */
const boundedSum = (column: SQLQuery): SQLQuery =>
  sql`(case when sum(${column}) > ${mostExact} then ${mostExact} else sum(${column}) end)::bigint`;

/** The average of answered requests in whole milliseconds; null if there are none. */
const averageDuration: SQLQuery = sql`
  round(sum(duration_ms) filter (where refusal is null)
    / sum(requests) filter (where refusal is null))::bigint`;

/** A percentile of answered requests; null if some are rolled up. */
export const percentile = (fraction: number, column: SQLQuery): SQLQuery => sql`
  (case when bool_or(is_rolled_up) then null else
    percentile_disc(${fraction}) within group (order by ${column}) filter (where refusal is null)
  end)::bigint`;

const statusCount = (from: number, to: number): SQLQuery => sql`
  (case when bool_or(is_rolled_up) then null else
    count(*) filter (where upstream_status between ${from} and ${to})
  end)::bigint`;

/**
 * Requests by the backend's answer, in the classes of gw_upstream_status_total. Each is null if
 * some requests are rolled up.
 */
const upstreamStatuses: SQLQuery = sql`
  ${statusCount(100, 399)} as upstream_success,
  ${statusCount(400, 499)} - ${statusCount(429, 429)} as upstream_client_error,
  ${statusCount(429, 429)} as upstream_rate_limited,
  ${statusCount(500, 599)} as upstream_server_error`;

export const refused = (reason: string): SQLQuery =>
  sql`coalesce(sum(requests) filter (where refusal = ${reason}), 0)::bigint`;

/** Times are null if no backend answered, or if some requests are rolled up. */
export const usageSums = z.object({
  requests: integer,
  refused_no_backend: integer,
  refused_backend_overloaded: integer,
  /** Null if some requests are rolled up. */
  failed_attempts: integer.nullable(),
  upstream_success: integer.nullable(),
  upstream_client_error: integer.nullable(),
  upstream_rate_limited: integer.nullable(),
  upstream_server_error: integer.nullable(),
  prompt_tokens: integer,
  completion_tokens: integer,
  /** Null if none of the requests has a price. */
  cost_micros: integer.nullable(),
  unpriced_requests: integer,
  /**
   * Requests with estimated usage, and the estimates. The sums above exclude them, except
   * `requests`.
   */
  estimated_requests: integer,
  estimated_prompt_tokens: integer,
  estimated_completion_tokens: integer,
  /** Null if none of them has a price. */
  estimated_cost_micros: integer.nullable(),
  avg_ms: integer.nullable(),
  p50_ms: integer.nullable(),
  p95_ms: integer.nullable(),
  p99_ms: integer.nullable(),
  ttft_p95_ms: integer.nullable(),
});

export const usageColumns: SQLQuery = sql`
  sum(requests)::bigint as requests,
  ${refused('no_backend')} as refused_no_backend,
  ${refused('backend_overloaded')} as refused_backend_overloaded,
  (case when bool_or(is_rolled_up) then null else sum(failed_attempts) end)::bigint
    as failed_attempts,
  ${upstreamStatuses},
  ${boundedSum(sql`prompt_tokens`)} as prompt_tokens,
  ${boundedSum(sql`completion_tokens`)} as completion_tokens,
  ${boundedSum(sql`cost_micros`)} as cost_micros,
  sum(unpriced_requests)::bigint as unpriced_requests,
  sum(estimated_requests)::bigint as estimated_requests,
  ${boundedSum(sql`estimated_prompt_tokens`)} as estimated_prompt_tokens,
  ${boundedSum(sql`estimated_completion_tokens`)} as estimated_completion_tokens,
  ${boundedSum(sql`estimated_cost_micros`)} as estimated_cost_micros,
  ${averageDuration} as avg_ms,
  ${percentile(0.5, sql`duration_ms`)} as p50_ms,
  ${percentile(0.95, sql`duration_ms`)} as p95_ms,
  ${percentile(0.99, sql`duration_ms`)} as p99_ms,
  ${percentile(0.95, sql`ttft_ms`)} as ttft_p95_ms`;
