// Lists the columns of op.usage_sums: what they are grouped by, and what a row of usage, a correction and an hour add to
// each.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import { bucketStarts } from '../../../usage/latency.ts';
import { idents } from '../../columns.ts';
import { amounts, correctedAmounts } from '../usage-amounts.ts';
import type { Amount } from '../usage-amounts.ts';

/**
 * Larger sums, which only a faulty report can cause, are capped at this: answers hold no larger
 * integers.
 */
const mostExact = Number.MAX_SAFE_INTEGER;

/** Does not use `least`, because it ignores nulls, and a sum without values must stay null. */
export const boundedSum = (column: SQLQuery): SQLQuery => bounded(sql`sum(${column})`);

export const bounded = (sum: SQLQuery): SQLQuery =>
  sql`(case when ${sum} > ${mostExact} then ${mostExact} else ${sum} end)::bigint`;

/** The columns that usage is grouped by. */
export const keyNames = [
  'principal_id',
  'principal',
  'model',
  'provider',
  'virtual_model',
  'tag',
  'service_tier',
  'currency',
] as const;
export type KeyName = (typeof keyNames)[number];

/**
 * Sums above the precision of a delta exist for each of these apart, with the keys that they have,
 * because most combinations of all keys have few requests.
 */
export const dimensions = {
  all: [],
  model: ['model', 'provider'],
  principal: ['principal_id', 'principal'],
  provider: ['provider'],
  virtual_model: ['virtual_model'],
  tag: ['tag'],
  service_tier: ['service_tier'],
} as const satisfies Readonly<Record<string, readonly KeyName[]>>;
export type Dimension = keyof typeof dimensions;

const count = (condition: SQLQuery): Amount => ({
  ofRow: sql`coalesce(${condition}, false)::integer`,
});
const refusedFor = (reason: string): Amount => count(sql`refusal = ${reason}`);

/** `null` if no backend answered. */
const upstreamStatus = sql`case when refusal is null and not cached then status end`;

/** Amounts that hours do not have. */
const reported: Readonly<Record<string, Amount>> = {
  refused_requests: count(sql`refusal is not null`),
  refused_authorisation: refusedFor('authorisation'),
  refused_rate_limit: refusedFor('rate_limit'),
  refused_budget: refusedFor('budget'),
  refused_no_backend: refusedFor('no_backend'),
  refused_backend_overloaded: refusedFor('backend_overloaded'),
  // Attempts that were followed by another, and all attempts of a request that no backend answered.
  failed_attempts: { ofRow: sql`greatest(attempts - (refusal is null)::integer, 0)` },
  upstream_success: count(sql`${upstreamStatus} between 100 and 399`),
  upstream_client_error: count(
    sql`${upstreamStatus} between 400 and 499 and ${upstreamStatus} <> 429`,
  ),
  upstream_rate_limited: count(sql`${upstreamStatus} = 429`),
  upstream_server_error: count(sql`${upstreamStatus} between 500 and 599`),
  answered_ms: { ofRow: sql`case when refusal is null then duration_ms else 0 end` },
};

const summed: Readonly<Record<string, Amount>> = { ...amounts, ...reported };

const listed = (valueOf: (name: string, amount: Amount) => SQLQuery): SQLQuery =>
  sql.join(
    Object.entries(summed).map(([name, amount]) => valueOf(name, amount)),
    sql`, `,
  );

export const keys: SQLQuery = idents(keyNames);
export const sumNames: SQLQuery = idents(Object.keys(summed));

/** Sums of sums. Null stays null. */
export const sumsOfSums: SQLQuery = listed((name, { isNullable }) => {
  const sum = boundedSum(sql.ident(name));
  return sql`${isNullable === true ? sum : sql`coalesce(${sum}, 0)`} as ${sql.ident(name)}`;
});

/** Used for a row of op.usage_events. */
export const valuesOfRow: SQLQuery = listed(
  (name, { ofRow }) => sql`(${ofRow})::bigint as ${sql.ident(name)}`,
);

/** Used for a row of op.usage_corrections. A correction does not count as a request. */
export const valuesOfCorrection: SQLQuery = listed((name, { isNullable }) => {
  const value = correctedAmounts[name] ?? (isNullable === true ? sql`null` : sql`0`);
  return sql`(${value})::bigint as ${sql.ident(name)}`;
});

const ofHour = (reason: string): SQLQuery =>
  sql`case when refusal = ${reason} then requests else 0 end`;

const amountsOfHour: Readonly<Record<string, SQLQuery>> = {
  ...Object.fromEntries(Object.keys(reported).map((name) => [name, sql`0`])),
  refused_requests: sql`case when refusal is null then 0 else requests end`,
  refused_authorisation: ofHour('authorisation'),
  refused_rate_limit: ofHour('rate_limit'),
  refused_budget: ofHour('budget'),
  refused_no_backend: ofHour('no_backend'),
  refused_backend_overloaded: ofHour('backend_overloaded'),
  answered_ms: sql`case when refusal is null then duration_ms else 0 end`,
};

/** Used for a row of op.usage_hours, which has no times, attempts or statuses of single requests. */
export const valuesOfHour: SQLQuery = listed((name) => {
  const value: SQLQuery = amountsOfHour[name] ?? sql.ident(name);
  return sql`(case when ${value} > ${mostExact} then ${mostExact} else ${value} end)::bigint`;
});

const starts = `{${bucketStarts.join(',')}}`;

/** The bucket of a latency; null if no backend answered. */
export const latencyBucket = (column: SQLQuery): SQLQuery =>
  sql`case when refusal is null then width_bucket(${column}, ${starts}::bigint[]) end::smallint`;

/** Buckets of latencies, and the number of requests in each. No numbers mean one request in each. */
export const histograms: SQLQuery = sql`
  duration_buckets, duration_counts, ttft_buckets, ttft_counts`;
