// Stores alarms of the log, so that they outlive the process that raised them.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from '../rows.ts';

const alarmRow = z.object({
  raised_at: time,
  position: integer,
  problem: text,
  replica: text.nullable(),
  seen_hash: text.nullable(),
  log_hash: text.nullable(),
  epoch: integer.nullable(),
});
export type AlarmRow = Readonly<z.output<typeof alarmRow>>;

/** All are read, because an old alarm counts until an epoch explains it. */
export const alarmsMax = 1_000;

/**
 * Returns false if there is already an alarm of the same position and hashes, or too many alarms.
 */
export async function insertAlarm(db: Queryable, alarm: AlarmRow): Promise<boolean> {
  const { raised_at, position, problem, replica, seen_hash, log_hash, epoch } = alarm;
  const added: unknown[] = await db.query(sql`
    insert into op.log_alarms
      (raised_at, position, problem, replica, seen_hash, log_hash, epoch)
    select ${raised_at}::timestamptz, ${position}::bigint, ${problem}::text, ${replica}::text,
      ${seen_hash}::text, ${log_hash}::text, ${epoch}::integer
    where (select count(*) from op.log_alarms) < ${alarmsMax}
    on conflict do nothing returning 1`);
  return added.length === 1;
}

/** Newest first. */
export const listAlarms = (db: Queryable): Promise<AlarmRow[]> =>
  readRows(db, alarmRow)`
    select raised_at, position, problem, replica, seen_hash, log_hash, epoch
    from op.log_alarms order by id desc limit ${alarmsMax}`;
