// Alarms of the log: what says that it was changed behind the program's back. Each is told once, by an error line of the program's log
// and the operator's webhook, and the last ones stay in memory for people to see.

import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Notice } from '../notify.ts';

/** `position` is the first one that does not hold. */
export type Alarm = Readonly<{ position: number; problem: string }>;

export type RaisedAlarm = Alarm & Readonly<{ at: string }>;

export type Alarms = Readonly<{
  raise: (alarm: Alarm) => void;
  /** The newest first. */
  last: () => readonly RaisedAlarm[];
}>;

const lastMax = 100;

type Dependencies = Readonly<{
  log: Readonly<{ error: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  notify: (notice: Notice) => void;
  clock: Clock;
}>;

export function createAlarms({ log, notify, clock }: Dependencies): Alarms {
  let raised: readonly RaisedAlarm[] = [];
  return {
    raise: (alarm) => {
      if (raised.some(({ position }) => position === alarm.position)) return;
      raised = [{ ...alarm, at: toRfc3339(clock()) }, ...raised].slice(0, lastMax);
      log.error({ ...alarm }, 'the event log is not what it was');
      notify({ event: 'log_alarm', ...alarm });
    },
    last: () => raised,
  };
}
