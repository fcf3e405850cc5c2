// Reads what the archive should have: the segments that the log names, and the sums of hours.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { finerThan } from '../../../usage/pieces.ts';
import { flag, integer, readRow, readRows, readValue, readValues, text, time } from '../../rows.ts';
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

/** The segments of these hours that the log names, in order. The last event of a repaired one counts. */
export const loggedSegments = (db: Queryable, { since, until }: HourSpan) =>
  readRows(db, loggedSegment)`
    select distinct on (hour, dataset, segment) dataset, hour, segment, rows, manifest_sha256
    from (
      select payload ->> 'dataset' as dataset, (payload ->> 'hour')::timestamptz as hour,
        (payload ->> 'segment')::bigint as segment, (payload ->> 'rows')::bigint as rows,
        payload ->> 'manifest_sha256' as manifest_sha256, position
      from es.events where type = 'UsageArchived'
    ) logged
    where hour >= ${since.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
    order by hour, dataset desc, segment, position desc`;

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

/** Hours with rows, or corrections of rows, that are not in the archive yet. */
export const pendingHours = (db: Queryable, { since, until }: HourSpan): Promise<Date[]> =>
  readValues(db, time)`
    select hour from (
      select hour from op.usage_archive_notes
      union
      select hour from op.usage_archive_hours where doing is not null
    ) pending
    where hour >= ${since.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
    union
    select date_trunc('hour', made.at, 'UTC') from op.usage_reprices reprice
    join op.usage_corrections made on made.reprice_id = reprice.id
    where reprice.applied_at is not null and reprice.archived_at is null
      and made.at >= ${since.toISOString()}::timestamptz
      and made.at < ${until.toISOString()}::timestamptz
    order by 1`;

/** Hours with rows that are not in the sums yet. */
export const unsummedHours = (db: Queryable, { since, until }: HourSpan): Promise<Date[]> =>
  readValues(db, time)`
    select distinct date_trunc('hour', at, 'UTC') from op.usage_events where not is_summed
      and at >= ${since.toISOString()}::timestamptz
      and at < ${until.toISOString()}::timestamptz
    order by 1`;

const partMs = 5 * 60_000;

/**
 * Rows of these hours that the archive must have once `done` is archived. Counted in parts, because
 * an hour can have millions.
 */
export async function rowsUpTo(
  db: Queryable,
  { since, until, done }: HourSpan & Readonly<{ done: number }>,
): Promise<number> {
  let rows = 0;
  for (let from = since.getTime(); from < until.getTime(); from += partMs) {
    const to = Math.min(from + partMs, until.getTime());
    const counted = await readValue(db, integer)`
      select count(*) from op.usage_events where coalesce(archive_generation, 0) <= ${done}
        and at >= ${new Date(from).toISOString()}::timestamptz
        and at < ${new Date(to).toISOString()}::timestamptz`;
    rows += counted ?? 0;
  }
  return rows;
}

type Unverified = Readonly<{ before: Date; triedBefore: Date; limit: number }>;

/**
 * Hours before `before` that still have rows, and whose files were not read back for a day. Those
 * that failed are last, and are tried again later.
 */
export const unverifiedHours = (
  db: Queryable,
  { before, triedBefore, limit }: Unverified,
): Promise<Date[]> =>
  readValues(db, time)`
    select hour from op.usage_archive_hours
    where hour < ${before.toISOString()}::timestamptz
      and hour >= (select date_trunc('hour', min(at), 'UTC') from op.usage_events)
      and (verified_at is null or verified_at < now() - interval '1 day')
      and coalesce(failed_at, '-infinity') <= ${triedBefore.toISOString()}::timestamptz
      and exists (select from op.usage_events
        where at >= hour and at < hour + interval '1 hour')
    order by failed_at nulls first, hour limit ${limit}`;

type Verified = Readonly<{ hour: Date; segments: number; correctionSegments: number; at: Date }>;

/** Does nothing if another segment was added since. */
export const markVerified = (
  db: Queryable,
  { hour, segments, correctionSegments, at }: Verified,
): Promise<unknown> =>
  db.query(sql`
    update op.usage_archive_hours
    set verified_at = ${at.toISOString()}::timestamptz, failed_at = null, failure = null
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
  bytes: integer,
  last_hour: time.nullable(),
  failed_hours: integer,
  first_failed_hour: time.nullable(),
  failure: text.nullable(),
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
        where applied_at is not null and archived_at is null) as pending_corrections,
      (select failure from op.usage_archive_hours
        where hour = done.first_failed_hour) as failure
    from op.usage_archive, (
      select count(*) filter (where segments + correction_segments > 0) as hours,
        coalesce(sum(segments + correction_segments), 0)::bigint as segments,
        count(verified_at) as verified_hours,
        coalesce(sum(bytes), 0)::bigint as bytes,
        max(hour) filter (where segments > 0) as last_hour,
        count(failed_at) as failed_hours,
        min(hour) filter (where failed_at is not null) as first_failed_hour
      from op.usage_archive_hours
    ) done`;
  if (found === null) throw new Error('op.usage_archive has no row');
  return found;
}
