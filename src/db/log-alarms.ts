// Alarms of the log in the database, so that none ends with the process that raised it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

/** As op.log_alarms has it. */
export type AlarmRow = Readonly<{
  raised_at: Date;
  position: number;
  problem: string;
  replica: string | null;
  seen_hash: string | null;
  log_hash: string | null;
  epoch: number | null;
}>;

/** One more is not worth more than the first thousand, which stay. */
const alarmsMax = 1_000;

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
export const listAlarms = (db: Queryable, limit: number): Promise<AlarmRow[]> =>
  db.query(sql`
    select raised_at, position, problem, replica, seen_hash, log_hash, epoch
    from op.log_alarms order by id desc limit ${limit}`);
