// Reads usage by UTC day, model and currency, with its corrections, to compare it with a bill.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { readRows, readValues, text } from '../rows.ts';

const dayRow = z.object({
  day: text,
  model: text.nullable(),
  currency: text.nullable(),
  /** Decimal integers, which can exceed 2^53. Null if no request has a price. */
  micros: text.nullable(),
  unpriced_requests: text,
  tokens: text,
});
export type DayRow = Readonly<z.output<typeof dayRow>>;

/** An empty list of providers means all. `until` is exclusive. */
export type DayRange = Readonly<{ since: string; until: string; providers: readonly string[] }>;

export const usageByDay = (db: Queryable, range: DayRange): Promise<DayRow[]> =>
  readRows(db, dayRow)`
    select ${dayOf} as day, model, currency,
      (case when sum(priced) > 0 or sum(micros) <> 0 then sum(micros) end)::text as micros,
      ${unpricedRequests}::text as unpriced_requests,
      sum(tokens)::text as tokens
    from (
      select at, model, currency, cost_micros::numeric as micros,
        (cost_micros is not null)::integer as priced,
        (cost_micros is null and refusal is null)::integer as unpriced,
        (prompt_tokens + completion_tokens)::numeric as tokens
      from op.usage_events where ${within(sql`at`, range)} and not usage_estimated
      union all
      select made.at, model, made.currency, made.delta_micros, made.priced, -made.priced, 0
      from op.usage_corrections made
      join op.usage_reprices applied on applied.id = made.reprice_id
        and applied.applied_at is not null
      join op.usage_events corrected on corrected.id = made.usage_id and corrected.at = made.at
      where ${within(sql`made.at`, range)}
      union all
      select hour, model, currency,
        case when cost_micros is null and correction_micros is null then null
          else coalesce(cost_micros, 0) + coalesce(correction_micros, 0) end,
        (cost_micros is not null)::integer + corrected_prices,
        unpriced_requests - estimated_requests - corrected_prices,
        prompt_tokens + completion_tokens
      from op.usage_hours where ${within(sql`hour`, range)}
    ) used
    group by 1, 2, 3
    having sum(tokens) > 0 or sum(micros) <> 0 or sum(priced) > 0`;

const dayOf = sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`;

/**
 * A correction into another currency takes the price of a request from one currency and gives it to
 * the other, so only the sum over all currencies tells how many requests have no price.
 */
const unpricedRequests = sql`
  greatest(0, least(sum(unpriced), sum(sum(unpriced)) over (partition by ${dayOf}, model)))`;

const within = (column: SQLQuery, { since, until, providers }: DayRange): SQLQuery => sql`
  ${column} >= ${since}::timestamptz and ${column} < ${until}::timestamptz
  and (${providers.length === 0} or provider = any(${[...providers]}::text[]))`;

/** The names of providers in usage of this range. */
export const usedProviders = (db: Queryable, { since, until }: DayRange): Promise<string[]> =>
  readValues(db, text)`
    select provider from (
      select provider from op.usage_events
      where at >= ${since}::timestamptz and at < ${until}::timestamptz
      union
      select provider from op.usage_hours
      where hour >= ${since}::timestamptz and hour < ${until}::timestamptz
    ) used
    where provider is not null order by provider`;
