// Adds up by month what usage reports read: the sums of each precision and grouping, and the hours of rolled-up requests.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { finerThan, isBelowHour, sumPrecisions } from '../../../usage/pieces.ts';
import type { SumPrecision } from '../../../usage/pieces.ts';
import { integer, readRows, text } from '../../rows.ts';
import { appliedCorrections, currencyOf } from '../usage-amounts.ts';
import { isCounted } from '../sums/merge-sums.ts';
import { dimensions } from '../sums/sum-columns.ts';

/** In UTC, such as `2026-11`. */
const month = { month: text, currency: text };
const amounts = {
  requests: integer,
  prompt_tokens: integer,
  completion_tokens: integer,
  /** Costs, corrections and estimates. */
  micros: integer,
};
export type MonthAmounts = Readonly<z.output<z.ZodObject<typeof amounts>>>;
const monthTotal = z.object({ ...month, ...amounts });
export type MonthTotal = Readonly<z.output<typeof monthTotal>>;

const summed = sql`
  sum(requests)::bigint as requests,
  sum(prompt_tokens + estimated_prompt_tokens)::bigint as prompt_tokens,
  sum(completion_tokens + estimated_completion_tokens)::bigint as completion_tokens,
  sum(coalesce(cost_micros, 0) + coalesce(correction_micros, 0)
    + coalesce(estimated_cost_micros, 0))::bigint as micros`;

export const dimensionNames = Object.keys(dimensions);

/** Sums below an hour are not added up: reports read them for the last days only. */
export const precisions = sumPrecisions.filter((one) => !isBelowHour(one)).toReversed();

const reportSum = z.object({ dimension: text, ...month, ...amounts });
export type ReportSum = Readonly<z.output<typeof reportSum>>;

/** Adds up what reports of this precision read. Sums that are not part of it yet are added. */
export const reportSums = (db: Queryable, precision: SumPrecision): Promise<ReportSum[]> =>
  readRows(db, reportSum)`
    select known.dimension, to_char(period at time zone 'UTC', 'YYYY-MM') as month, currency,
      ${summed}
    from op.usage_sums held
    join unnest(${dimensionNames}::text[]) as known (dimension)
      on held.precision = 'delta' or held.dimension = known.dimension
    where held.precision = ${precision}
      or (held.precision = any(${[...finerThan(precision)]}::text[]) and is_pending)
      or (held.precision = 'delta' and ${isCounted})
    group by 1, 2, 3 order by 1, 2, 3`;

export const rolledUpMonths = (db: Queryable): Promise<MonthTotal[]> =>
  readRows(db, monthTotal)`
    select to_char(hour at time zone 'UTC', 'YYYY-MM') as month, ${currencyOf(sql`currency`)}
      as currency, ${summed}
    from op.usage_hours group by 1, 2`;

const correctedMonth = z.object({ ...month, micros: integer });

/** Applied corrections of rows. Those of rolled-up rows are in the hours. */
export const correctedMonths = (db: Queryable): Promise<z.output<typeof correctedMonth>[]> =>
  readRows(db, correctedMonth)`
    select to_char(c.at at time zone 'UTC', 'YYYY-MM') as month, c.currency,
      sum(c.delta_micros + coalesce(c.estimated_delta_micros, 0))::bigint as micros
    from ${appliedCorrections} group by 1, 2`;
