// Stores state checkpoints: the compressed configuration at some positions, as a cache.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { bytes, integer, readRow, readValues } from '../rows.ts';

/** `state` is compressed JSON; `hash` is the SHA-256 of the JSON. */
const stateCheckpoint = z.object({ position: integer, state: bytes, hash: bytes });
export type StateCheckpoint = Readonly<z.output<typeof stateCheckpoint>>;

type Place = Readonly<{ foldVersion: number; position: number }>;

/** Null if there is none at or before `position`. */
export const checkpointBefore = (
  db: Queryable,
  { foldVersion, position }: Place,
): Promise<StateCheckpoint | null> =>
  readRow(db, stateCheckpoint)`
    select position, state_zstd as state, state_hash as hash from op.state_checkpoints
    where fold_version = ${foldVersion} and position <= ${position}
    order by position desc limit 1`;

/** In ascending order. */
export const checkpointPositions = (
  db: Queryable,
  foldVersion: number,
): Promise<readonly number[]> =>
  readValues(db, integer)`
    select position from op.state_checkpoints
    where fold_version = ${foldVersion} order by position`;

/** `eventHash` is the hash of the last event of the state. */
type NewCheckpoint = StateCheckpoint & Place & Readonly<{ eventHash: Uint8Array }>;

/**
 * Keeps a checkpoint that another replica has written. Writes nothing if the log has another event
 * at the position.
 */
export const insertCheckpoint = (
  db: Queryable,
  { foldVersion, position, eventHash, state, hash }: NewCheckpoint,
): Promise<unknown> =>
  db.query(sql`
    insert into op.state_checkpoints (fold_version, position, recorded_at, state_zstd, state_hash)
    select ${foldVersion}, position, recorded_at, ${state}, ${hash}
    from es.events where position = ${position} and hash = ${eventHash}
    on conflict do nothing`);

/**
 * Returns the number of deleted checkpoints. Of this fold, keeps the newest `kept` and the last of
 * each month (UTC). Of other folds, keeps those created in the last seven days.
 */
export async function thinCheckpoints(
  db: Queryable,
  { foldVersion, kept }: Readonly<{ foldVersion: number; kept: number }>,
): Promise<number> {
  const gone: unknown[] = await db.query(sql`
    delete from op.state_checkpoints held using (
      select fold_version, position,
        row_number() over (partition by fold_version order by position desc) > ${kept}
          and row_number() over (partition by fold_version,
            date_trunc('month', recorded_at at time zone 'UTC') order by position desc) > 1
          as is_between
      from op.state_checkpoints) ranked
    where held.fold_version = ranked.fold_version and held.position = ranked.position
      and ((held.fold_version = ${foldVersion} and is_between)
        or (held.fold_version <> ${foldVersion} and created_at < now() - interval '7 days'))
    returning 1`);
  return gone.length;
}
