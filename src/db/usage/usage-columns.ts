// Builds the columns that aggregate usage, by group or by time bucket, over the rows of
// usage-range.ts.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { membersOf, tokenParts } from '../../usage/counts.ts';
import { flag, integer, readRows, text } from '../rows.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';

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
    / nullif(sum(requests) filter (where refusal is null), 0))::bigint`;

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

const partSums: SQLQuery = sql.join(
  tokenParts.map(({ name }) => sql`${boundedSum(sql.ident(name))} as ${sql.ident(name)}`),
  sql`, `,
);

const inDefaultCurrency = (column: SQLQuery): SQLQuery =>
  sql`case when currency = ${defaultCurrency} then ${column} end`;

/** Null if there is neither a cost nor a correction. */
const corrected: SQLQuery = sql`
  case when cost_micros is null then correction_micros
    else cost_micros + coalesce(correction_micros, 0) end`;

const costOfGroup = z.object({
  key: text.nullable(),
  currency: text,
  cost_micros: integer.nullable(),
  corrected_cost_micros: integer.nullable(),
  estimated_cost_micros: integer.nullable(),
});
type CostOfGroup = Readonly<z.output<typeof costOfGroup>>;

/** The amounts of each group in each currency, over rows of usage-range.ts. */
export const costsIn = (
  db: Queryable,
  { key, usage }: Readonly<{ key: SQLQuery; usage: SQLQuery }>,
): Promise<CostOfGroup[]> =>
  readRows(db, costOfGroup)`
    select (${key})::text as key, currency, ${boundedSum(sql`cost_micros`)} as cost_micros,
      ${boundedSum(corrected)} as corrected_cost_micros,
      ${boundedSum(sql`estimated_cost_micros`)} as estimated_cost_micros
    from (${usage}) counted
    where coalesce(cost_micros, correction_micros, estimated_cost_micros) is not null
    group by 1, 2 order by 1, 2`;

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
  /** Null if no request reported the count. */
  ...membersOf(
    tokenParts.map(({ name }) => name),
    integer.nullable(),
  ),
  /** In the default currency. Null if none of the requests has a price in it. */
  cost_micros: integer.nullable(),
  /** The cost after corrections, in the default currency. */
  corrected_cost_micros: integer.nullable(),
  /** True if there are amounts in other currencies. */
  is_mixed: flag,
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
  ${partSums},
  ${boundedSum(inDefaultCurrency(sql`cost_micros`))} as cost_micros,
  ${boundedSum(inDefaultCurrency(corrected))} as corrected_cost_micros,
  coalesce(bool_or(currency <> ${defaultCurrency} and coalesce(
    cost_micros, correction_micros, estimated_cost_micros) is not null), false) as is_mixed,
  sum(unpriced_requests)::bigint as unpriced_requests,
  sum(estimated_requests)::bigint as estimated_requests,
  ${boundedSum(sql`estimated_prompt_tokens`)} as estimated_prompt_tokens,
  ${boundedSum(sql`estimated_completion_tokens`)} as estimated_completion_tokens,
  ${boundedSum(inDefaultCurrency(sql`estimated_cost_micros`))} as estimated_cost_micros,
  ${averageDuration} as avg_ms,
  ${percentile(0.5, sql`duration_ms`)} as p50_ms,
  ${percentile(0.95, sql`duration_ms`)} as p95_ms,
  ${percentile(0.99, sql`duration_ms`)} as p99_ms,
  ${percentile(0.95, sql`ttft_ms`)} as ttft_p95_ms`;

type Sums = Readonly<{ key: string | null; is_mixed: boolean }> &
  Pick<CostOfGroup, 'cost_micros' | 'corrected_cost_micros' | 'estimated_cost_micros'>;

/** Adds the amounts by currency. Only groups with several currencies need `costs`. */
export function withCosts<Group extends Sums>(
  groups: readonly Group[],
  costs: readonly CostOfGroup[],
) {
  const byKey = Map.groupBy(costs, ({ key }) => key);
  return groups.map(({ is_mixed: isMixed, ...sums }) => {
    const found = isMixed ? (byKey.get(sums.key) ?? []) : defaultCosts(sums);
    return Object.assign(sums, { costs: found.map(({ key: _key, ...cost }) => cost) });
  });
}

function defaultCosts(sums: Omit<Sums, 'is_mixed'>): CostOfGroup[] {
  const { key, cost_micros, corrected_cost_micros, estimated_cost_micros } = sums;
  const amounts = { cost_micros, corrected_cost_micros, estimated_cost_micros };
  const isNone = Object.values(amounts).every((one) => one === null);
  return isNone ? [] : [{ key, currency: defaultCurrency, ...amounts }];
}
