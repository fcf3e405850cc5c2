// Alarms of the log in the database, so that none ends with the process that raised it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from '../rows.ts';

/** As op.log_alarms has it. */
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

/** The table takes no more alarms than this, and all of them are read: an old one counts until an epoch explains it. */
export const alarmsMax = 1_000;

/** False when one of the same position and sight is there already, or too many are. */
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

/** The newest first. */
export const listAlarms = (db: Queryable): Promise<AlarmRow[]> =>
  readRows(db, alarmRow)`
    select raised_at, position, problem, replica, seen_hash, log_hash, epoch
    from op.log_alarms order by id desc limit ${alarmsMax}`;
