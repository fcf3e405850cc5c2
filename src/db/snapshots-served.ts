// Stores which replica has served which snapshot version since when, from health reports.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from './rows.ts';

export type Served = Readonly<{
  replica: string;
  version: number;
  /** Null if the replica did not report the position. */
  position: number | null;
  hash: string | null;
  at: Date;
}>;

/** Only the first report of a version is stored. */
export const insertServed = (db: Queryable, served: Served): Promise<unknown> =>
  db.query(sql`
    insert into op.snapshot_published (replica, version, log_position, log_hash, reported_at)
    values (${served.replica}, ${served.version}, ${served.position}, ${served.hash}, ${served.at})
    on conflict do nothing`);

/** `total` counts all replicas that served the version. */
const servedRow = z.object({ replica: text, version: integer, since: time, total: integer });
export type ServedRow = Readonly<z.output<typeof servedRow>>;

/** The first `limit` replicas of each version. */
export const listServed = (
  db: Queryable,
  { versions, limit }: Readonly<{ versions: readonly number[]; limit: number }>,
): Promise<ServedRow[]> =>
  readRows(db, servedRow)`
    select replica, version, reported_at as since, total from (
      select replica, version, reported_at, count(*) over (partition by version) as total,
        row_number() over (partition by version order by reported_at, replica) as place
      from op.snapshot_published where version = any(${[...versions]}::bigint[])) held
    where place <= ${limit} order by version, place`;

/** Deletes reports from before `horizon` and all but the newest `kept`. Returns their number. */
export async function pruneServed(
  db: Queryable,
  { horizon, kept }: Readonly<{ horizon: Date; kept: number }>,
): Promise<number> {
  const gone: unknown[] = await db.query(sql`
    delete from op.snapshot_published where reported_at < greatest(${horizon}::timestamptz,
      (select reported_at from op.snapshot_published
        order by reported_at desc offset ${kept} limit 1))
    returning 1`);
  return gone.length;
}
