// Selects the usage of a time range from rows and hourly roll-ups, for totals and series. Roll-ups
// have sums, but no individual times or order.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import {
  amountNames,
  amountsOfCorrection,
  amountsOfRow,
  appliedCorrections,
  currencyOf,
} from './usage-amounts.ts';

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
 * Attempts that were followed by another, and all attempts of a request that no backend answered.
 */
const failedAttempts: SQLQuery = sql`greatest(attempts - (refusal is null)::integer, 0)`;

/** The columns of op.usage_events and op.usage_hours that totals are grouped by. */
const groupColumns: SQLQuery = sql`
  principal_id, principal, model, provider, virtual_model, tag, service_tier, refusal`;

/**
 * Each row represents `requests` requests. If `is_rolled_up`, times are sums and statuses unknown.
 * `upstream_status` is null if no backend answered. A correction is a row without a request.
 */
export const usageIn = ({ since, until }: UsageRange, filter: UsageFilter): SQLQuery => sql`
  select at, false as is_rolled_up, ${groupColumns}, ${currencyOf(sql`currency`)} as currency,
    ${amountsOfRow}, duration_ms::numeric, ttft_ms,
    case when refusal is null and not cached then status end as upstream_status,
    ${failedAttempts} as failed_attempts
  from op.usage_events
  where ${within(sql`at`, { since, until })} and ${matching(filter)}
  union all
  select held.at, false, ${groupColumns}, c.currency,
    ${amountsOfCorrection}, null, null, null, null
  from ${appliedCorrections}
    join op.usage_events held on held.id = c.usage_id and held.at = c.at
  where ${within(sql`c.at`, { since, until })} and ${matching(filter)}
  union all
  select hour, true, ${groupColumns}, ${currencyOf(sql`currency`)},
    ${amountNames}, duration_ms, null, null, null
  from op.usage_hours
  where ${within(sql`hour`, { since, until })} and ${matching(filter)}`;

const within = (column: SQLQuery, { since, until }: UsageRange): SQLQuery => sql`
  (${since}::timestamptz is null or ${column} >= ${since}::timestamptz)
  and (${until}::timestamptz is null or ${column} < ${until}::timestamptz)`;

const matching = ({ model, provider, principalId }: UsageFilter): SQLQuery => sql`
  (${model}::text is null or model = ${model})
  and (${provider}::text is null or provider = ${provider})
  and (${principalId}::bigint is null or principal_id = ${principalId})`;
