// Builds the columns that aggregate usage, by group or by time bucket, over the sums of
// usage-range.ts.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { membersOf, tokenParts } from '../../usage/counts.ts';
import { flag, integer, readRows, text } from '../rows.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import { bounded, boundedSum } from './sums/sum-columns.ts';

/** The average of answered requests in whole milliseconds; null if there are none. */
const averageDuration: SQLQuery = sql`
  round(sum(answered_ms) / nullif(sum(requests) - sum(refused_requests), 0))::bigint`;

/** Null if some requests are rolled up. */
const unlessRolledUp = (column: SQLQuery): SQLQuery =>
  sql`(case when bool_or(is_rolled_up) then null else sum(${column}) end)::bigint`;

/** Requests by the backend's answer, in the classes of gw_upstream_status_total, and failed attempts. */
const ofRequests: SQLQuery = sql.join(
  [
    'failed_attempts',
    'upstream_success',
    'upstream_client_error',
    'upstream_rate_limited',
    'upstream_server_error',
  ].map((name) => sql`${unlessRolledUp(sql.ident(name))} as ${sql.ident(name)}`),
  sql`, `,
);

const partSums: SQLQuery = sql.join(
  tokenParts.map(({ name }) => sql`${boundedSum(sql.ident(name))} as ${sql.ident(name)}`),
  sql`, `,
);

const inDefaultCurrency = (column: SQLQuery): SQLQuery =>
  sql`case when currency = ${defaultCurrency} then ${column} end`;

const same = (column: SQLQuery): SQLQuery => column;

/**
 * Null without a cost, also after corrections that cancel out. Corrections of an earlier release
 * did not count prices.
 */
const correctedSum = (of: typeof same): SQLQuery =>
  bounded(sql`coalesce(
    sum(${of(sql`cost_micros`)}) + coalesce(sum(${of(sql`correction_micros`)}), 0),
    case when sum(${of(sql`corrected_prices`)}) > 0 then sum(${of(sql`correction_micros`)})
      else nullif(sum(${of(sql`correction_micros`)}), 0) end)`);

const costOfGroup = z.object({
  key: text.nullable(),
  currency: text,
  cost_micros: integer.nullable(),
  corrected_cost_micros: integer.nullable(),
  estimated_cost_micros: integer.nullable(),
});
type CostOfGroup = Readonly<z.output<typeof costOfGroup>>;

/** The amounts of each group in each currency, over the sums of usage-range.ts. */
export const costsIn = (
  db: Queryable,
  { key, usage }: Readonly<{ key: SQLQuery; usage: SQLQuery }>,
): Promise<CostOfGroup[]> =>
  readRows(db, costOfGroup)`
    select (${key})::text as key, currency, ${boundedSum(sql`cost_micros`)} as cost_micros,
      ${correctedSum(same)} as corrected_cost_micros,
      ${boundedSum(sql`estimated_cost_micros`)} as estimated_cost_micros
    from (${usage}) counted
    where coalesce(cost_micros, correction_micros, estimated_cost_micros) is not null
    group by 1, 2 order by 1, 2`;

export const sumOf = (name: string): SQLQuery =>
  sql`sum(${sql.ident(name)})::bigint as ${sql.ident(name)}`;

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
  /** True if the latencies of some requests are unknown. */
  is_rolled_up: flag,
});

export const usageColumns: SQLQuery = sql`
  ${sumOf('requests')}, ${sumOf('refused_no_backend')}, ${sumOf('refused_backend_overloaded')},
  ${ofRequests},
  ${boundedSum(sql`prompt_tokens`)} as prompt_tokens,
  ${boundedSum(sql`completion_tokens`)} as completion_tokens,
  ${partSums},
  ${boundedSum(inDefaultCurrency(sql`cost_micros`))} as cost_micros,
  ${correctedSum(inDefaultCurrency)} as corrected_cost_micros,
  coalesce(bool_or(currency <> ${defaultCurrency} and coalesce(
    cost_micros, correction_micros, estimated_cost_micros) is not null), false) as is_mixed,
  ${sumOf('unpriced_requests')}, ${sumOf('estimated_requests')},
  ${boundedSum(sql`estimated_prompt_tokens`)} as estimated_prompt_tokens,
  ${boundedSum(sql`estimated_completion_tokens`)} as estimated_completion_tokens,
  ${boundedSum(inDefaultCurrency(sql`estimated_cost_micros`))} as estimated_cost_micros,
  ${averageDuration} as avg_ms, bool_or(is_rolled_up) as is_rolled_up`;

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
