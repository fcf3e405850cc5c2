// Reads what the archive should have: the segments that the log names, and the sums of hours.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { finerThan } from '../../../usage/pieces.ts';
import { flag, integer, readRow, readRows, readValue, text, time } from '../../rows.ts';
import { isCounted } from '../sums/merge-sums.ts';

/** The end is exclusive. */
export type HourSpan = Readonly<{ since: Date; until: Date }>;

const loggedSegment = z.object({
  dataset: z.enum(['usage', 'corrections']),
  hour: time,
  segment: integer,
  rows: integer,
  manifest_sha256: text,
});
export type LoggedSegment = Readonly<z.output<typeof loggedSegment>>;

/** The segments of these hours that the log names, in order. */
export const loggedSegments = (db: Queryable, { since, until }: HourSpan) =>
  readRows(db, loggedSegment)`
    select dataset, hour, segment, rows, manifest_sha256 from (
      select payload ->> 'dataset' as dataset, (payload ->> 'hour')::timestamptz as hour,
        (payload ->> 'segment')::bigint as segment, (payload ->> 'rows')::bigint as rows,
        payload ->> 'manifest_sha256' as manifest_sha256, position
      from es.events where type = 'UsageArchived'
    ) logged
    where hour >= ${since.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
    order by hour, dataset desc, segment, position`;

const hourSum = z.object({
  hour: time,
  currency: text,
  requests: text,
  prompt_tokens: text,
  completion_tokens: text,
  cost_micros: text,
  estimated_cost_micros: text,
  correction_micros: text,
});
export type HourSum = Readonly<z.output<typeof hourSum>>;

/** The sums that reports read, by hour and currency. Tokens include estimates. */
export const hourSums = (db: Queryable, { since, until }: HourSpan): Promise<HourSum[]> =>
  readRows(db, hourSum)`
    select date_trunc('hour', period, 'UTC') as hour, currency, sum(requests)::text as requests,
      sum(prompt_tokens + estimated_prompt_tokens)::text as prompt_tokens,
      sum(completion_tokens + estimated_completion_tokens)::text as completion_tokens,
      coalesce(sum(cost_micros), 0)::text as cost_micros,
      coalesce(sum(estimated_cost_micros), 0)::text as estimated_cost_micros,
      coalesce(sum(correction_micros), 0)::text as correction_micros
    from op.usage_sums
    where period >= ${since.toISOString()}::timestamptz
      and period < ${until.toISOString()}::timestamptz
      and (dimension = 'all' and (precision = 'hour'
          or (precision = any(${[...finerThan('hour')]}::text[]) and is_pending))
        or (precision = 'delta' and ${isCounted}))
    group by 1, 2 order by 1, 2`;

const pendingHour = z.object({ hour: time });

/** Hours with rows that are not in the archive yet. */
export async function pendingHours(db: Queryable, { since, until }: HourSpan): Promise<Date[]> {
  const rows = await readRows(db, pendingHour)`
    select distinct hour from op.usage_archive_notes
    where hour >= ${since.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
    union
    select hour from op.usage_archive_hours
    where hour >= ${since.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
      and doing is not null
    order by 1`;
  return rows.map(({ hour }) => hour);
}

/** The number of recomputations of costs whose corrections are not in the archive yet. */
export const pendingCorrections = async (db: Queryable): Promise<number> =>
  (await readValue(db, integer)`
    select count(*) from op.usage_reprices
    where applied_at is not null and archived_at is null`) ?? 0;

/** Rows of these hours that are not in the sums yet. */
export const unsummedRows = async (db: Queryable, { since, until }: HourSpan): Promise<number> =>
  (await readValue(db, integer)`
    select count(*) from op.usage_events where not is_summed
      and at >= ${since.toISOString()}::timestamptz
      and at < ${until.toISOString()}::timestamptz`) ?? 0;

/** Rows of these hours that the archive must have once `done` is archived. */
export const rowsUpTo = async (
  db: Queryable,
  { since, until, done }: HourSpan & Readonly<{ done: number }>,
): Promise<number> =>
  (await readValue(db, integer)`
    select count(*) from op.usage_events where coalesce(archive_generation, 0) <= ${done}
      and at >= ${since.toISOString()}::timestamptz
      and at < ${until.toISOString()}::timestamptz`) ?? 0;

/** Hours before `before` that still have rows, and whose files were not read back for a day. */
export async function unverifiedHours(
  db: Queryable,
  { before, limit }: Readonly<{ before: Date; limit: number }>,
): Promise<Date[]> {
  const rows = await readRows(db, pendingHour)`
    select hour from op.usage_archive_hours
    where hour < ${before.toISOString()}::timestamptz
      and (verified_at is null or verified_at < now() - interval '1 day')
      and exists (select from op.usage_events
        where at >= hour and at < hour + interval '1 hour')
    order by hour limit ${limit}`;
  return rows.map(({ hour }) => hour);
}

type Verified = Readonly<{ hour: Date; segments: number; correctionSegments: number; at: Date }>;

/** Does nothing if another segment was added since. */
export const markVerified = (
  db: Queryable,
  { hour, segments, correctionSegments, at }: Verified,
): Promise<unknown> =>
  db.query(sql`
    update op.usage_archive_hours set verified_at = ${at.toISOString()}::timestamptz
    where hour = ${hour.toISOString()}::timestamptz and segments = ${segments}
      and correction_segments = ${correctionSegments}`);

const status = z.object({
  is_on: flag,
  place: text.nullable(),
  first_hour: time.nullable(),
  hours: integer,
  segments: integer,
  pending_hours: integer,
  first_pending_hour: time.nullable(),
  pending_corrections: integer,
  verified_hours: integer,
});

export async function archiveStatus(db: Queryable): Promise<z.output<typeof status>> {
  const found = await readRow(db, status)`
    with pending as (
      select distinct note.hour from op.usage_archive_notes note
      left join op.usage_archive_hours held using (hour)
      where note.hour < now() - interval '75 minutes'
        and coalesce(held.archived_at, '-infinity') < now() - interval '65 minutes'
    )
    select is_on, place, first_hour, done.*,
      (select count(*) from pending) as pending_hours,
      (select min(hour) from pending) as first_pending_hour,
      (select count(*) from op.usage_reprices
        where applied_at is not null and archived_at is null) as pending_corrections
    from op.usage_archive, (
      select count(*) filter (where segments + correction_segments > 0) as hours,
        coalesce(sum(segments + correction_segments), 0)::bigint as segments,
        count(verified_at) as verified_hours
      from op.usage_archive_hours
    ) done`;
  if (found === null) throw new Error('op.usage_archive has no row');
  return found;
}
