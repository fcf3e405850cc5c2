// Stores the last report of each replica, for all control planes. Every time is one of the
// database's clock, because the clocks of control planes differ.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { storableJson } from '../lib/text.ts';
import { flag, integer, readRows, readValue, readRow, time } from './rows.ts';

/** Locks with the hash of a replica's name. */
const replicaLock = 7_100_006;

/** Until the end of the transaction, no other control plane stores a report of this replica. */
export const holdReplica = (tx: Queryable, replica: string): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${replicaLock}, hashtext(${replica}))`);

/** The last report, as it was stored. Null if the replica is unknown or has been silent for `silentMs`. */
export const readMember = (
  db: Queryable,
  { replica, silentMs }: Readonly<{ replica: string; silentMs: number }>,
): Promise<unknown> =>
  readValue(db, z.unknown())`
    select report from op.fleet where replica = ${replica}
      and reported_at > clock_timestamp() - make_interval(secs => ${silentMs / 1000})`;

const size = z.object({ replicas: integer, backends: integer, affected: integer });
/** `affected` is the number of replicas that see an unhealthy backend. */
export type FleetSize = Readonly<z.output<typeof size>>;

/** Counts the live replicas, except this one. */
export async function countMembers(
  db: Queryable,
  { except, silentMs }: Readonly<{ except: string | null; silentMs: number }>,
): Promise<FleetSize> {
  const found = await readRow(db, size)`
    select count(*) as replicas, coalesce(sum(backends), 0) as backends,
      count(*) filter (where unhealthy > 0) as affected
    from op.fleet where replica is distinct from ${except}
      and reported_at > clock_timestamp() - make_interval(secs => ${silentMs / 1000})`;
  return found ?? { replicas: 0, backends: 0, affected: 0 };
}

type Member = Readonly<{
  replica: string;
  report: Readonly<{ snapshot_version: number }>;
  backends: number;
  unhealthy: number;
  /** Also for a replica that returns after a silence. */
  isNew: boolean;
}>;

export const writeMember = (
  db: Queryable,
  { replica, report, backends, unhealthy, isNew }: Member,
): Promise<unknown> =>
  db.query(sql`
    insert into op.fleet as held (replica, report, backends, unhealthy, reported_at, snapshot_since)
    values (${replica}, ${storableJson(report)}::jsonb, ${backends}, ${unhealthy},
      clock_timestamp(), clock_timestamp())
    on conflict (replica) do update set report = excluded.report, backends = excluded.backends,
      unhealthy = excluded.unhealthy, reported_at = excluded.reported_at,
      snapshot_since = case
        when ${isNew} or held.report->'snapshot_version' <> excluded.report->'snapshot_version'
        then excluded.snapshot_since else held.snapshot_since end`);

const memberRow = z.object({
  report: z.unknown(),
  reportedAt: time,
  snapshotSince: time,
  ageSeconds: integer,
});
export type MemberRow = Readonly<z.output<typeof memberRow>>;

/** The live replicas by name, in the order of bytes. */
export const listMembers = (db: Queryable, silentMs: number): Promise<MemberRow[]> =>
  readRows(db, memberRow)`
    select report, reported_at as "reportedAt", snapshot_since as "snapshotSince",
      floor(extract(epoch from greatest(clock_timestamp() - reported_at, '0')))::integer
        as "ageSeconds"
    from op.fleet
    where reported_at > clock_timestamp() - make_interval(secs => ${silentMs / 1000})
    order by replica collate "C"`;

/** False for a database of a release that did not store the fleet. */
export const hasFleet = async (db: Queryable): Promise<boolean> =>
  (await readValue(db, flag)`select to_regclass('op.fleet') is not null`) === true;

/** Skips a replica that is reporting again. */
export const deleteSilent = (db: Queryable, silentMs: number): Promise<unknown> =>
  db.query(sql`
    delete from op.fleet where replica in (
      select replica from op.fleet
      where reported_at <= clock_timestamp() - make_interval(secs => ${silentMs / 1000})
      for update skip locked)`);
