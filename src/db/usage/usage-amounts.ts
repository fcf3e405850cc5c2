// Lists the amounts of usage that are added up: what a row, a correction and an hour contribute to each sum.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import { defaultCurrency } from '../../lib/vocabulary.ts';
import { tokenParts } from '../../usage/counts.ts';

/** The currency of a row, a correction or an hour. */
export const currencyOf = (column: SQLQuery): SQLQuery =>
  sql`coalesce(${column}, ${defaultCurrency})`;

/**
 * Classifies errors. A 401 or 403 concerns the gateway's own credential and a 429 the backend's
 * load, so they are upstream errors; other 4xx are client errors.
 */
export const isUpstreamError: SQLQuery = sql`
  (refusal is null and (status >= 500 or status in (401, 403, 429)))`;
const isClientError: SQLQuery = sql`
  (refusal is null and status between 400 and 499 and status not in (401, 403, 429))`;

/** A refused request has no cost and does not count as unpriced. */
export const isUnpriced: SQLQuery = sql`(cost_micros is null and refusal is null)`;

const flag = (condition: SQLQuery): SQLQuery => sql`coalesce(${condition}, false)::integer`;

export type Amount = Readonly<{
  /** The contribution of a row of op.usage_events. */
  ofRow: SQLQuery;
  /** True if the sum is null while nothing contributes to it. */
  isNullable?: true;
}>;

const none: SQLQuery = sql`null`;

/** Keyed by the column of op.usage_hours. Estimates are apart from what providers reported. */
export const amounts: Readonly<Record<string, Amount>> = {
  requests: { ofRow: sql`1` },
  upstream_errors: { ofRow: flag(isUpstreamError) },
  client_errors: { ofRow: flag(isClientError) },
  unpriced_requests: { ofRow: flag(isUnpriced) },
  prompt_tokens: { ofRow: sql`case when usage_estimated then 0 else prompt_tokens end` },
  completion_tokens: { ofRow: sql`case when usage_estimated then 0 else completion_tokens end` },
  ...Object.fromEntries(
    tokenParts.map(({ name }): [string, Amount] => [
      name,
      { ofRow: sql.ident(name), isNullable: true },
    ]),
  ),
  cost_micros: { ofRow: sql`cost_micros`, isNullable: true },
  correction_micros: { ofRow: none, isNullable: true },
  // Requests that have a price by corrections, minus those that no longer have one.
  corrected_prices: { ofRow: sql`0` },
  estimated_requests: { ofRow: flag(sql`usage_estimated`) },
  estimated_prompt_tokens: { ofRow: sql`case when usage_estimated then prompt_tokens else 0 end` },
  estimated_completion_tokens: {
    ofRow: sql`case when usage_estimated then completion_tokens else 0 end`,
  },
  estimated_cost_micros: { ofRow: sql`estimated_cost_micros`, isNullable: true },
};

const listed = (valueOf: (name: string, amount: Amount) => SQLQuery): SQLQuery =>
  sql.join(
    Object.entries(amounts).map(([name, amount]) => valueOf(name, amount)),
    sql`, `,
  );

export const amountNames: SQLQuery = listed((name) => sql.ident(name));

/** Used for rows of op.usage_events. */
export const amountsOfRow: SQLQuery = listed(
  (name, { ofRow }) => sql`(${ofRow})::numeric as ${sql.ident(name)}`,
);

/** The values that a correction adds. A budget was charged the estimate of a row without a cost. */
export const correctedAmounts: Readonly<Record<string, SQLQuery>> = {
  correction_micros: sql`delta_micros`,
  corrected_prices: sql`priced`,
  estimated_cost_micros: sql`nullif(estimated_delta_micros, 0)`,
};

/** Used for rows of op.usage_corrections. A correction does not count as a request. */
export const amountsOfCorrection: SQLQuery = listed((name, { isNullable }) => {
  const value = correctedAmounts[name] ?? (isNullable === true ? none : sql`0`);
  return sql`(${value})::numeric as ${sql.ident(name)}`;
});

/** Sums over rows and corrections that were selected as above. */
export const amountSums: SQLQuery = listed((name, { isNullable }) =>
  isNullable === true ? sql`sum(${sql.ident(name)})` : sql`coalesce(sum(${sql.ident(name)}), 0)`,
);

/** Assignments that add the sums of an insertion to the existing ones, which are named `held`. */
export const addedAmounts: SQLQuery = listed((name, { isNullable }) => {
  const column = sql.ident(name);
  return isNullable === true
    ? sql`${column} = case when excluded.${column} is null then held.${column}
        else coalesce(held.${column}, 0) + excluded.${column} end`
    : sql`${column} = held.${column} + excluded.${column}`;
});

/** The corrections that count, as `c`. Others belong to a recomputation that was not finished. */
export const appliedCorrections: SQLQuery = sql`
  op.usage_corrections c
    join op.usage_reprices applied on applied.id = c.reprice_id and applied.applied_at is not null`;
