// Stores which archive each control process is configured with.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRows, text, time } from '../../rows.ts';

/** A process that was not seen for longer has stopped. Longer than writing a segment takes. */
export const processSeconds = 300;

const configured = z.object({
  process: text,
  /** Null means that rows are removed without an archive. */
  place: text.nullable(),
  /** Null if the process could not read that yet. */
  archive_id: text.nullable(),
  seen_at: time,
});
export type ConfiguredArchive = Readonly<z.output<typeof configured>>;

/** Returns those of the running processes, except this one. */
export async function tellArchive(
  db: Queryable,
  {
    process,
    place,
    archiveId,
  }: Readonly<{
    process: string;
    place: string | null;
    archiveId: string | null;
  }>,
): Promise<ConfiguredArchive[]> {
  await db.query(sql`
    insert into op.usage_archive_processes (process, place, archive_id, seen_at)
    values (${process}, ${place}, ${archiveId}, now())
    on conflict (process) do update set place = excluded.place,
      archive_id = excluded.archive_id, seen_at = excluded.seen_at`);
  await db.query(sql`
    delete from op.usage_archive_processes
    where seen_at < now() - make_interval(secs => ${processSeconds})`);
  return readRows(db, configured)`
    select process, place, archive_id, seen_at from op.usage_archive_processes
    where process <> ${process} order by seen_at desc limit 100`;
}

/** The archives of running processes that differ from the one in use. */
export const otherArchives = async (db: Queryable): Promise<(string | null)[]> => {
  const rows = await readRows(db, z.object({ place: text.nullable() }))`
    select distinct other.place from op.usage_archive_processes other, op.usage_archive used
    where other.seen_at >= now() - make_interval(secs => ${processSeconds}) and used.is_on
      and (other.place is null or other.archive_id <> used.archive_id)
    order by 1 nulls first limit 10`;
  return rows.map(({ place }) => place);
};
