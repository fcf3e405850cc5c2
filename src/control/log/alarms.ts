// Alarms of the log: what says that it was changed behind the program's back. Each is told once, by an error line of the program's log
// and the operator's webhook, and stays in the database for people to see: none ends by itself. What was seen before a new epoch of
// the log is explained by that, and shown so.

import type { Queryable } from '@databases/pg';

import { alarmsMax, insertAlarm, listAlarms } from '../../db/log/log-alarms.ts';
import type { AlarmRow } from '../../db/log/log-alarms.ts';
import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Notice } from '../fleet/notify.ts';

/**
 * `position` is the first one that does not hold. Of what a replica saw: its name, the hash that it was given, the hash that the log
 * has there (null: it ends before) and the epoch in which it was given.
 */
export type Alarm = Omit<AlarmRow, 'raised_at'>;

/** `explained_by_epoch`: the log went on in this epoch behind a loss of events; null: nothing explains it. */
export type RaisedAlarm = Omit<AlarmRow, 'raised_at' | 'epoch'> &
  Readonly<{ at: string; explained_by_epoch: number | null }>;

export type Alarms = Readonly<{
  /** Never rejects: an alarm that the database does not take is told all the same. */
  raise: (alarm: Alarm) => Promise<void>;
  /** The newest first. */
  list: () => Promise<readonly RaisedAlarm[]>;
  /** How many nothing explains, as far as this process knows: raised by it, or listed since. */
  open: () => number;
}>;

type Dependencies = Readonly<{
  db: Queryable;
  /** The epoch of the log, as far as this process has read. */
  epoch: () => number;
  log: Readonly<{ error: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  notify: (notice: Notice) => void;
  clock: Clock;
}>;

export function createAlarms({ db, epoch, log, notify, clock }: Dependencies): Alarms {
  /** Raised by this process. They stay open also where the database did not take them, or no longer holds them. */
  let own: readonly AlarmRow[] = [];
  let known: readonly AlarmRow[] = [];
  const isExplained = (alarm: AlarmRow): boolean => alarm.epoch !== null && alarm.epoch < epoch();
  return {
    raise: async (alarm) => {
      if (known.some((one) => isSame(one, alarm))) return;
      const row = { raised_at: new Date(clock()), ...alarm };
      own = [row, ...own].slice(0, alarmsMax);
      known = [row, ...known].slice(0, alarmsMax);
      // The database is what is in doubt: one that refuses, or says that another replica has told it, is asked no more.
      const isNew = await insertAlarm(db, row).catch(() => true);
      if (!isNew) return;
      log.error({ ...alarm }, 'the event log was modified outside of gw');
      notify({ event: 'log_alarm', ...alarm });
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
