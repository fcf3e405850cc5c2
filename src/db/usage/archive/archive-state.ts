// Stores how far the archive of usage is: the generations of rows, hours with rows to archive, and
// the control process that archives.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { lockFolds } from '../usage-rollups.ts';
import { flag, integer, readRow, readValue, readValues, text, time } from '../../rows.ts';
import type { HourSpan } from './archive-checks.ts';

/** Held, shared, by transactions that store rows (op.usage_generation). */
const generationLock = 7_100_010;

const archiveState = z.object({
  is_on: flag,
  place: text.nullable(),
  /** The identity of the archive in use. */
  archive_id: text.nullable(),
  first_hour: time.nullable(),
});
export type ArchiveState = Readonly<z.output<typeof archiveState>>;

export async function readArchive(db: Queryable): Promise<ArchiveState> {
  const found = await readRow(db, archiveState)`
    select is_on, place, archive_id, first_hour from op.usage_archive`;
  if (found === null) throw new Error('op.usage_archive has no row');
  return found;
}

type Opened = Readonly<{ place: string; archiveId: string; insteadOf: ArchiveState }>;

/**
 * From now on, rows are only removed once they are in the archive. Notes the hours of rows that
 * exist. Does nothing if another process changed the state.
 */
export async function openArchive(
  db: Database,
  { place, archiveId, insteadOf }: Opened,
): Promise<void> {
  await db.tx(async (tx) => {
    await lockGenerations(tx);
    await tx.query(sql`
      update op.usage_archive set generation = 1 where generation is null`);
  });
  // From now on, hours are noted when their rows are stored.
  await db.tx(async (tx) => {
    await lockFolds(tx);
    const isUnchanged = await readValue(tx, flag)`
      select true from op.usage_archive
      where is_on = ${insteadOf.is_on} and place is not distinct from ${insteadOf.place}::text
        and archive_id is not distinct from ${insteadOf.archive_id}::text
      for update`;
    if (isUnchanged === null) return;
    await tx.query(sql`
      with recursive hours as (
        select date_trunc('hour', min(at), 'UTC') as hour from op.usage_events
        union all
        select (select date_trunc('hour', min(at), 'UTC') from op.usage_events
          where at >= hours.hour + interval '1 hour')
        from hours where hour is not null
      )
      insert into op.usage_archive_notes (generation, hour)
      select 0, hour from hours where hour is not null
        and not exists (select from op.usage_archive_hours held where held.hour = hours.hour)`);
    // The rows of an hour that is partly rolled up do not add up to its sums.
    // A check of the files in another place says nothing about this one.
    await tx.query(sql`
      update op.usage_archive_hours set verified_at = null, failed_at = null, failure = null
      where (select (place, archive_id) from op.usage_archive)
          is distinct from (${place}::text, ${archiveId}::text)
        and (verified_at is not null or failed_at is not null)`);
    await tx.query(sql`
      update op.usage_archive set place = ${place}, archive_id = ${archiveId}, is_on = true,
        first_hour = case when is_on then first_hour else greatest(first_hour,
          coalesce((select min(hour) from op.usage_archive_notes),
            date_trunc('hour', now(), 'UTC')),
          (select max(hour) + interval '1 hour' from op.usage_hours)) end`);
  });
}

/**
 * Rows may be removed without an archive again. Their generations are still stored. Does nothing if
 * another process opened an archive in the meantime.
 */
export const closeArchive = (
  db: Queryable,
  { place, archive_id: id }: ArchiveState,
): Promise<unknown> =>
  db.query(sql`
    update op.usage_archive set is_on = false, place = null
    where is_on and place is not distinct from ${place}::text
      and archive_id is not distinct from ${id}::text`);

/** Waits for transactions that store rows, and keeps others from starting until this one ends. */
const lockGenerations = (tx: Queryable): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${generationLock})`);

/** Returns a generation whose rows, and those of all before it, are committed. */
export const closeGeneration = (db: Database): Promise<number> =>
  db.tx(async (tx) => {
    await lockGenerations(tx);
    const closed = await readValue(tx, integer)`
      update op.usage_archive set generation = generation + 1 returning generation - 1`;
    if (closed === null) throw new Error('op.usage_archive has no row');
    return closed;
  });

type Holding = Readonly<{ holder: string; seconds: number }>;

/** Returns false while another process archives. */
export const holdArchive = async (db: Queryable, { holder, seconds }: Holding): Promise<boolean> =>
  (await readValue(db, flag)`
    update op.usage_archive set holder = ${holder},
      held_until = now() + make_interval(secs => ${seconds})
    where holder is null or holder = ${holder} or held_until < now() returning true`) ?? false;

export const releaseArchive = (db: Queryable, holder: string): Promise<unknown> =>
  db.query(sql`
    update op.usage_archive set holder = null, held_until = null where holder = ${holder}`);

type Due = Readonly<{
  /** Hours that ended before this. */
  ended: Date;
  /**
   * Hours that were neither archived nor failed since then: late rows are archived together, and
   * hours that fail do not delay others.
   */
  triedBefore: Date;
  limit: number;
}>;

/** Oldest first, and those that failed last. */
export const dueHours = (db: Queryable, { ended, triedBefore, limit }: Due): Promise<Date[]> =>
  readValues(db, time)`
    select hour from (select distinct hour from op.usage_archive_notes) note
    left join op.usage_archive_hours held using (hour)
    where hour <= ${ended.toISOString()}::timestamptz - interval '1 hour'
      and greatest(held.archived_at, held.failed_at, '-infinity')
        <= ${triedBefore.toISOString()}::timestamptz
    order by held.failed_at nulls first, hour limit ${limit}`;

const failureCharactersMax = 500;

type Failed = Readonly<{ hour: Date; at: Date; failure: string }>;

/** Archiving or verifying the hour failed. */
export const markFailed = (db: Queryable, { hour, at, failure }: Failed): Promise<unknown> =>
  db.query(sql`
    insert into op.usage_archive_hours (hour, failed_at, failure)
    values (${iso(hour)}::timestamptz, ${iso(at)}::timestamptz,
      ${failure.slice(0, failureCharactersMax)})
    on conflict (hour) do update
    set failed_at = excluded.failed_at, failure = excluded.failure`);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Returns the times of the rows of the hour, up to a generation. Minutes that follow each other are one span. */
export async function hourSpans(
  db: Queryable,
  { hour, upTo }: Readonly<{ hour: Date; upTo: number }>,
): Promise<HourSpan[]> {
  const minutes = await readValues(db, time.nullable())`
    select distinct minute from op.usage_archive_notes
    where hour = ${iso(hour)}::timestamptz and generation <= ${upTo} order by 1 nulls first`;
  const spans: { since: Date; until: Date }[] = [];
  for (const minute of minutes) {
    if (minute === null) return [{ since: hour, until: new Date(hour.getTime() + hourMs) }];
    const last = spans.at(-1);
    const until = new Date(minute.getTime() + minuteMs);
    if (last?.until.getTime() === minute.getTime()) last.until = until;
    else spans.push({ since: minute, until });
  }
  return spans;
}

/** The last row that is in the archive. `currency` is of corrections only. */
export const archivePlace = z.object({ at: text, id: text, currency: text.optional() });
export type ArchivePlace = Readonly<z.output<typeof archivePlace>>;

const archivedHour = z.object({
  /** The rows of the generations after `done`, up to `doing`, are archived. */
  done: integer,
  doing: integer.nullable(),
  place: archivePlace.nullable(),
  segments: integer,
  correction_segments: integer,
  adopted: z.array(integer),
  adopted_corrections: z.array(integer),
});
export type ArchivedHour = Readonly<z.output<typeof archivedHour>>;

const hourColumns = sql`
  done, doing, place, segments, correction_segments, adopted, adopted_corrections`;

export const readHour = (db: Queryable, hour: Date): Promise<ArchivedHour | null> =>
  readRow(db, archivedHour)`
    select ${hourColumns} from op.usage_archive_hours where hour = ${iso(hour)}::timestamptz`;

/** Continues with the generations of an earlier attempt, so that it writes the same segments. */
export async function beginHour(
  db: Queryable,
  { hour, generation }: Readonly<{ hour: Date; generation: number | null }>,
): Promise<ArchivedHour> {
  const begun = await readRow(db, archivedHour)`
    insert into op.usage_archive_hours as held (hour, doing)
    values (${iso(hour)}::timestamptz, ${generation}::bigint)
    on conflict (hour) do update set
      doing = coalesce(held.doing,
        case when excluded.doing is not null then greatest(excluded.doing, held.done) end),
      place = case when held.doing is not null then held.place end
    returning ${hourColumns}`;
  if (begun === null) throw new Error('op.usage_archive_hours returned no row');
  return begun;
}

/** All rows up to the generation are in the archive. Does nothing if another process was faster. */
export const finishHour = (
  db: Database,
  { hour, doing, at }: Readonly<{ hour: Date; doing: number; at: Date }>,
): Promise<void> =>
  db.tx(async (tx) => {
    await tx.query(sql`
      update op.usage_archive_hours
      set done = doing, doing = null, place = null, failed_at = null, failure = null,
        archived_at = ${at.toISOString()}::timestamptz
      where hour = ${iso(hour)}::timestamptz and doing = ${doing}`);
    await tx.query(sql`
      delete from op.usage_archive_notes
      where hour = ${iso(hour)}::timestamptz and generation <= ${doing}`);
  });

/** Stores the last row of the hour that is in the archive, unless another process was faster. */
export const moveHour = (
  tx: Queryable,
  { hour, doing, place: last }: Readonly<{ hour: Date; doing: number; place: ArchivePlace }>,
): Promise<unknown> =>
  tx.query(sql`
    update op.usage_archive_hours set place = ${JSON.stringify(last)}::jsonb
    where hour = ${iso(hour)}::timestamptz and doing = ${doing}`);

/** A recomputation of costs whose corrections are not in the archive. Those that failed are last. */
export const dueCorrections = (
  db: Queryable,
  { triedBefore }: Pick<Due, 'triedBefore'>,
): Promise<number | null> =>
  readValue(db, integer)`
    select id from op.usage_reprices
    where applied_at is not null and archived_at is null
      and coalesce(archive_failed_at, '-infinity') <= ${iso(triedBefore)}::timestamptz
    order by archive_failed_at nulls first, id limit 1`;

export const markCorrectionsFailed = (
  db: Queryable,
  { id, at }: Readonly<{ id: number; at: Date }>,
): Promise<unknown> =>
  db.query(sql`
    update op.usage_reprices set archive_failed_at = ${iso(at)}::timestamptz where id = ${id}`);

/** The last correction that is in the archive. */
export const correctionsPlace = (db: Queryable, id: number): Promise<ArchivePlace | null> =>
  readValue(db, archivePlace.nullable())`
    select archive_place from op.usage_reprices where id = ${id}`;

export const moveCorrections = (
  tx: Queryable,
  { id, place: last }: Readonly<{ id: number; place: ArchivePlace }>,
): Promise<unknown> =>
  tx.query(sql`
    update op.usage_reprices set archive_place = ${JSON.stringify(last)}::jsonb where id = ${id}`);

export async function finishCorrections(
  db: Queryable,
  { id, at }: Readonly<{ id: number; at: Date }>,
): Promise<void> {
  await db.query(sql`
    update op.usage_reprices set archived_at = ${at.toISOString()}::timestamptz,
      archive_place = null
    where id = ${id} and archived_at is null`);
}

const iso = (hour: Date): string => hour.toISOString();
