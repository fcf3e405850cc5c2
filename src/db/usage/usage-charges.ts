// Reads usage summed by hour, principal, model and what its price depends on, for exports of
// charges. Estimated usage is excluded, as in the totals of usage-totals.ts.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { modelId } from '../../lib/ids.ts';
import { membersOf, tokenParts } from '../../usage/counts.ts';
import { idents } from '../columns.ts';
import { flag, integer, readRows, readValue, text, time } from '../rows.ts';
import { isUnpriced } from './usage-amounts.ts';

/** Sums are decimal integers as text, because they can exceed 2^53. */
const sum = text;

const partNames = tokenParts.map(({ name }) => name);

const chargeRow = z.object({
  hour: time,
  principal_id: integer,
  principal: text,
  provider: text.nullable(),
  model: text.nullable(),
  /** Null for roll-ups. */
  model_id: modelId.nullable(),
  tag: text.nullable(),
  currency: text.nullable(),
  price_version: integer.nullable(),
  service_tier: text.nullable(),
  is_correction: flag,
  /** The prompt tokens of one of the requests. */
  tier_tokens: integer,
  requests: sum,
  unpriced_requests: sum,
  prompt_tokens: sum,
  completion_tokens: sum,
  ...membersOf(partNames, sum.nullable()),
  tool_calls: z.record(z.string(), integer).nullable(),
  units: z.record(z.string(), integer).nullable(),
  /** Null if none of the requests has a price. */
  cost_micros: sum.nullable(),
});
export type ChargeRow = Readonly<z.output<typeof chargeRow>>;

/** A page of the rows of this range, sorted by principal. The range must be within one hour. */
export type ChargePage = Readonly<{
  since: string;
  until: string;
  /** Only principals with a higher id. */
  afterPrincipal: number;
  limit: number;
  /**
   * Prompt tokens, ascending: requests with more than one of these and requests with fewer are in
   * different rows.
   */
  tiers: readonly number[];
}>;

const keys: SQLQuery = sql`principal_id, principal, provider, model, model_id, tag, is_correction,
  currency, price_version, service_tier, tier`;

const partSums = sql.join(
  partNames.map((name) => sql`sum(${sql.ident(name)})::text as ${sql.ident(name)}`),
  sql`, `,
);

const nulls = sql.join(
  partNames.map(() => sql`null::numeric`),
  sql`, `,
);

/** The counts by name, summed over the maps of the rows. */
const summedMap = (maps: string): SQLQuery => sql`
  (select jsonb_object_agg(name, total) from (
    select name, sum(number::numeric) as total
    from unnest(${sql.ident(maps)}) as maps, jsonb_each_text(maps) as entries (name, number)
    group by name
  ) totals)`;

/** Priced and unpriced requests of roll-ups cannot be separated. */
export const usageCharges = (db: Queryable, page: ChargePage): Promise<ChargeRow[]> =>
  readRows(db, chargeRow)`
    select summed.*, ${summedMap('tool_maps')} as tool_calls, ${summedMap('unit_maps')} as units
    from (
      select date_trunc('hour', min(at) at time zone 'UTC') at time zone 'UTC' as hour, ${keys},
        sum(requests)::text as requests,
        sum(unpriced_requests)::text as unpriced_requests,
        sum(prompt_tokens)::text as prompt_tokens,
        sum(completion_tokens)::text as completion_tokens,
        ${partSums},
        max(tier_tokens) as tier_tokens,
        array_agg(server_tool_calls) filter (where server_tool_calls is not null) as tool_maps,
        array_agg(units) filter (where units is not null) as unit_maps,
        sum(cost_micros)::text as cost_micros
      from (${usageIn(page)} union all ${hoursIn(page)}
        union all ${correctionsIn(page)}) counted
      group by ${keys}, (cost_micros is null)
      having sum(prompt_tokens) + sum(completion_tokens) > 0 or sum(cost_micros) <> 0
        or count(units) > 0
      order by ${keys}, (cost_micros is null)
      limit ${page.limit}
    ) summed
    order by ${keys}, (cost_micros is null)`;

const usageIn = ({ since, until, afterPrincipal, tiers }: ChargePage): SQLQuery => sql`
  select at, principal_id, principal, provider, model, model_id, tag, currency, price_version,
    service_tier, ${tierOf(tiers)} as tier, prompt_tokens as tier_tokens, false as is_correction,
    1::bigint as requests, ${isUnpriced}::integer::bigint as unpriced_requests,
    prompt_tokens::numeric, completion_tokens::numeric, ${idents(partNames)}, server_tool_calls,
    units, cost_micros::numeric
  from op.usage_events
  where at >= ${since}::timestamptz and at < ${until}::timestamptz
    and principal_id > ${afterPrincipal} and not usage_estimated`;

/** The number of tiers that the prompt exceeds. */
const tierOf = (tiers: readonly number[]): SQLQuery =>
  tiers.length === 0
    ? sql`0`
    : sql`width_bucket(prompt_tokens, ${tiers.map((tokens) => tokens + 1)}::bigint[])`;

/** A roll-up has its corrections as a sum. */
const hoursIn = ({ since, until, afterPrincipal }: ChargePage): SQLQuery => sql`
  select hour, principal_id, principal, provider, model, null, tag, currency, null, service_tier,
    0, 0, folded.*
  from op.usage_hours, lateral (
    values
      (false, requests - estimated_requests, greatest(unpriced_requests - estimated_requests, 0),
        prompt_tokens, completion_tokens, ${idents(partNames)}, null::jsonb, null::jsonb,
        cost_micros),
      (true, 0, 0, 0, 0, ${nulls}, null, null, correction_micros)
  ) folded
  where hour >= ${since}::timestamptz and hour < ${until}::timestamptz
    and principal_id > ${afterPrincipal}`;

const correctionsIn = ({ since, until, afterPrincipal }: ChargePage): SQLQuery => sql`
  select made.at, principal_id, principal, provider, model, model_id, tag, made.currency,
    made.price_version, service_tier, 0, 0, true, 0, 0, 0, 0, ${nulls}, null, null,
    made.delta_micros
  from op.usage_corrections made
  join op.usage_reprices run on run.id = made.reprice_id and run.applied_at is not null
  join op.usage_events corrected on corrected.id = made.usage_id and corrected.at = made.at
  where made.at >= ${since}::timestamptz and made.at < ${until}::timestamptz
    and principal_id > ${afterPrincipal}`;

/** The start of the first hour with usage in this range; null if it has none. */
export const nextUsageHour = (
  db: Queryable,
  { since, until }: Pick<ChargePage, 'since' | 'until'>,
): Promise<Date | null> =>
  readValue(db, time.nullable())`
    select date_trunc('hour', min(at) at time zone 'UTC') at time zone 'UTC' as hour
    from (
      (select at from op.usage_events
        where at >= ${since}::timestamptz and at < ${until}::timestamptz order by at limit 1)
      union all
      (select hour from op.usage_hours
        where hour >= ${since}::timestamptz and hour < ${until}::timestamptz
        order by hour limit 1)
    ) first`;
