// Stores how far the archive of usage is: the generations of rows, hours with rows to archive, and
// the control process that archives.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { lockFolds } from '../usage-rollups.ts';
import { flag, integer, readRow, readRows, readValue, text, time } from '../../rows.ts';

/** Held, shared, by transactions that store rows (op.usage_generation). */
const generationLock = 7_100_010;

const archiveState = z.object({
  is_on: flag,
  place: text.nullable(),
  first_hour: time.nullable(),
});
export type ArchiveState = Readonly<z.output<typeof archiveState>>;

export async function readArchive(db: Queryable): Promise<ArchiveState> {
  const found = await readRow(db, archiveState)`
    select is_on, place, first_hour from op.usage_archive`;
  if (found === null) throw new Error('op.usage_archive has no row');
  return found;
}

/** From now on, rows are only removed once they are in the archive. Notes the hours of rows that exist. */
export async function openArchive(db: Database, place: string): Promise<void> {
  await db.tx(async (tx) => {
    await lockGenerations(tx);
    await tx.query(sql`
      update op.usage_archive set generation = 1 where generation is null`);
  });
  // From now on, hours are noted when their rows are stored.
  await db.tx(async (tx) => {
    await lockFolds(tx);
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
    // What was read back in another place says nothing about this one.
    await tx.query(sql`
      update op.usage_archive_hours set verified_at = null
      where (select place from op.usage_archive) is distinct from ${place}::text
        and verified_at is not null`);
    await tx.query(sql`
      update op.usage_archive set place = ${place}, is_on = true,
        first_hour = case when is_on then first_hour else greatest(first_hour,
          coalesce((select min(hour) from op.usage_archive_notes),
            date_trunc('hour', now(), 'UTC')),
          (select max(hour) + interval '1 hour' from op.usage_hours)) end`);
  });
}

/** Rows may be removed without an archive again. Their generations are still stored. */
export const closeArchive = (db: Queryable): Promise<unknown> =>
  db.query(sql`update op.usage_archive set is_on = false, place = null where is_on`);

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

const dueHour = z.object({ hour: time });

type Due = Readonly<{
  /** Hours that ended before this. */
  ended: Date;
  /** Hours that were not archived since then: late rows are archived together. */
  archivedBefore: Date;
  limit: number;
}>;

/** Oldest first. */
export async function dueHours(
  db: Queryable,
  { ended, archivedBefore, limit }: Due,
): Promise<Date[]> {
  const rows = await readRows(db, dueHour)`
    select distinct note.hour from op.usage_archive_notes note
    left join op.usage_archive_hours held using (hour)
    where note.hour <= ${ended.toISOString()}::timestamptz - interval '1 hour'
      and coalesce(held.archived_at, '-infinity') <= ${archivedBefore.toISOString()}::timestamptz
    order by 1 limit ${limit}`;
  return rows.map(({ hour }) => hour);
}

/** The last row that is in the archive. `currency` is of corrections only. */
const place = z.object({ at: text, id: text, currency: text.optional() });
export type ArchivePlace = Readonly<z.output<typeof place>>;

const archivedHour = z.object({
  /** The rows of the generations after `done`, up to `doing`, are archived. */
  done: integer,
  doing: integer.nullable(),
  place: place.nullable(),
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
      set done = doing, doing = null, place = null, archived_at = ${at.toISOString()}::timestamptz
      where hour = ${iso(hour)}::timestamptz and doing = ${doing}`);
    await tx.query(sql`
      delete from op.usage_archive_notes
      where hour = ${iso(hour)}::timestamptz and generation <= ${doing}`);
  });

type AddedSegment = Readonly<{
  dataset: 'usage' | 'corrections';
  hour: Date;
  segment: number;
  isAdopted: boolean;
}>;

/** The hour must be verified again. */
export async function addSegment(
  tx: Queryable,
  { dataset, hour, segment, isAdopted }: AddedSegment,
): Promise<void> {
  const [count, adopted] = segmentColumns[dataset];
  await tx.query(sql`
    update op.usage_archive_hours set ${count} = ${segment}, verified_at = null,
      ${adopted} = ${adopted} || ${isAdopted ? [segment] : []}::integer[]
    where hour = ${iso(hour)}::timestamptz`);
}

/** Stores the last row of the hour that is in the archive, unless another process was faster. */
export const moveHour = (
  tx: Queryable,
  { hour, doing, place: last }: Readonly<{ hour: Date; doing: number; place: ArchivePlace }>,
): Promise<unknown> =>
  tx.query(sql`
    update op.usage_archive_hours set place = ${JSON.stringify(last)}::jsonb
    where hour = ${iso(hour)}::timestamptz and doing = ${doing}`);

const segmentColumns = {
  usage: [sql.ident('segments'), sql.ident('adopted')],
  corrections: [sql.ident('correction_segments'), sql.ident('adopted_corrections')],
} as const;

/** The first recomputation of costs whose corrections are not in the archive. */
export const dueCorrections = (db: Queryable): Promise<number | null> =>
  readValue(db, integer)`
    select id from op.usage_reprices
    where applied_at is not null and archived_at is null order by id limit 1`;

/** The last correction that is in the archive. */
export const correctionsPlace = (db: Queryable, id: number): Promise<ArchivePlace | null> =>
  readValue(db, place.nullable())`
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
