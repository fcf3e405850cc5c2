// Stores which rows each segment of the archive has, so that it can be written again.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow } from '../../rows.ts';
import { archivePlace } from './archive-state.ts';

const segmentRows = z.object({
  /** Null for corrections. */
  after_generation: integer.nullable(),
  up_to_generation: integer.nullable(),
  /** Null for usage. */
  reprice_id: integer.nullable(),
  /** Null means from the beginning. */
  after_place: archivePlace.nullable(),
  last_place: archivePlace,
});
export type SegmentRows = Readonly<z.output<typeof segmentRows>>;

type Named = Readonly<{ dataset: 'usage' | 'corrections'; hour: Date; segment: number }>;

type AddedSegment = Named &
  Readonly<{
    bytes: number;
    /** Null for an adopted segment. */
    rows: SegmentRows | null;
  }>;

/** The hour must be verified again. */
export async function addSegment(tx: Queryable, added: AddedSegment): Promise<void> {
  const { dataset, hour, segment, bytes, rows } = added;
  const [count, adopted] = segmentColumns[dataset];
  await tx.query(sql`
    update op.usage_archive_hours set ${count} = ${segment}, verified_at = null,
      bytes = bytes + ${bytes},
      ${adopted} = ${adopted} || ${rows === null ? [segment] : []}::integer[]
    where hour = ${hour.toISOString()}::timestamptz`);
  if (rows !== null) await keepRows(tx, added, rows);
}

const keepRows = (
  tx: Queryable,
  { dataset, hour, segment }: Named,
  { after_generation, up_to_generation, reprice_id, after_place, last_place }: SegmentRows,
): Promise<unknown> =>
  tx.query(sql`
    insert into op.usage_archive_segments (dataset, hour, segment, after_generation,
      up_to_generation, reprice_id, after_place, last_place)
    values (${dataset}, ${hour.toISOString()}::timestamptz, ${segment}, ${after_generation},
      ${up_to_generation}, ${reprice_id},
      ${after_place === null ? null : JSON.stringify(after_place)}::jsonb,
      ${JSON.stringify(last_place)}::jsonb)
    on conflict (dataset, hour, segment) do update set
      after_generation = excluded.after_generation, up_to_generation = excluded.up_to_generation,
      reprice_id = excluded.reprice_id, after_place = excluded.after_place,
      last_place = excluded.last_place`);

const segmentColumns = {
  usage: [sql.ident('segments'), sql.ident('adopted')],
  corrections: [sql.ident('correction_segments'), sql.ident('adopted_corrections')],
} as const;

/** Null if the segment was adopted, or written by an older release. */
export const readSegmentRows = (
  db: Queryable,
  { dataset, hour, segment }: Named,
): Promise<SegmentRows | null> =>
  readRow(db, segmentRows)`
    select after_generation, up_to_generation, reprice_id, after_place, last_place
    from op.usage_archive_segments
    where dataset = ${dataset} and hour = ${hour.toISOString()}::timestamptz
      and segment = ${segment}`;

/** The hour must be verified again, and its archiving may be tried again at once. */
export const markRepaired = (tx: Queryable, hour: Date): Promise<unknown> =>
  tx.query(sql`
    update op.usage_archive_hours set verified_at = null, failed_at = null, failure = null
    where hour = ${hour.toISOString()}::timestamptz`);
