// Raises an alarm if the log was modified outside of gw. Each is reported once, by an error line in
// the program's log and by the webhook. It stays in the database and never ends by itself. A new
// epoch of the log explains observations made before it, which the alarm shows.

import type { Queryable } from '@databases/pg';

import { alarmsMax, insertAlarm, listAlarms } from '../../db/log/log-alarms.ts';
import type { AlarmRow } from '../../db/log/log-alarms.ts';
import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Notify } from '../webhooks/notify.ts';

/**
 * `position` is the first mismatch. A replica's observation has its name, the hash it was given,
 * the hash in the log (null if the log ends earlier), and the epoch.
 */
export type Alarm = Omit<AlarmRow, 'raised_at'>;

/**
 * `explained_by_epoch` is the epoch in which the log continued after a loss of events. Null if
 * nothing explains the alarm.
 */
export type RaisedAlarm = Omit<AlarmRow, 'raised_at' | 'epoch'> &
  Readonly<{ at: string; explained_by_epoch: number | null }>;

export type Alarms = Readonly<{
  /** Never rejects: the alarm is reported even if the database cannot store it. */
  raise: (alarm: Alarm) => Promise<void>;
  /** Newest first. */
  list: () => Promise<readonly RaisedAlarm[]>;
  /** Counts the unexplained alarms that this process raised or has listed. */
  open: () => number;
}>;

type Dependencies = Readonly<{
  db: Queryable;
  /** The epoch up to which this process has read the log. */
  epoch: () => number;
  log: Readonly<{ error: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  notify: Notify;
  clock: Clock;
}>;

export function createAlarms({ db, epoch, log, notify, clock }: Dependencies): Alarms {
  /** Stay open even if the database did not store them or lost them. */
  let own: readonly AlarmRow[] = [];
  let known: readonly AlarmRow[] = [];
  const isExplained = (alarm: AlarmRow): boolean => alarm.epoch !== null && alarm.epoch < epoch();
  return {
    raise: async (alarm) => {
      if (known.some((one) => isSame(one, alarm))) return;
      const row = { raised_at: new Date(clock()), ...alarm };
      own = [row, ...own].slice(0, alarmsMax);
      known = [row, ...known].slice(0, alarmsMax);
      // The database is under suspicion: if it fails, or claims that another replica reported the
      // alarm, report anyway, once.
      const isNew = await insertAlarm(db, row).catch(() => true);
      if (!isNew) return;
      log.error({ ...alarm }, 'the event log was modified outside of gw');
      notify({ type: 'log_alarm', data: alarm });
    },
    list: async () => {
      const stored = await listAlarms(db);
      const others = own.filter((alarm) => !stored.some((one) => isSame(one, alarm)));
      known = [...others, ...stored]
        .toSorted((a, b) => b.raised_at.getTime() - a.raised_at.getTime())
        .slice(0, alarmsMax);
      return known.map(({ raised_at, epoch: seenIn, ...alarm }) => ({
        ...alarm,
        at: toRfc3339(raised_at.getTime()),
        explained_by_epoch: isExplained({ raised_at, epoch: seenIn, ...alarm }) ? epoch() : null,
      }));
    },
    open: () => known.filter((alarm) => !isExplained(alarm)).length,
  };
}

const isSame = (one: Alarm, other: Alarm): boolean =>
  one.position === other.position && one.seen_hash === other.seen_hash;
