// Alarms of the log: what says that it was changed, or that a part of it is lost. Each is told once, by an error line of the program's log
// and the operator's webhook, and the last ones stay in memory for people to see.

import type { Clock } from '../../lib/clock.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Notice } from '../notify.ts';

/**
 * `altered`: the log does not hold what it held. `behind`: a replica has seen a position that the log does not reach.
 * `contradicted`: a replica has seen another hash at a position.
 */
export type AlarmKind = 'altered' | 'behind' | 'contradicted';

export type Alarm = Readonly<{
  kind: AlarmKind;
  position: number;
  /** Who has seen something else; null when it was found here. */
  replica: string | null;
  problem: string;
}>;

export type RaisedAlarm = Alarm & Readonly<{ at: string }>;

export type Alarms = Readonly<{
  raise: (alarm: Alarm) => void;
  /** The newest first. */
  last: () => readonly RaisedAlarm[];
  /** Since the process began. */
  count: () => number;
}>;

const lastMax = 100;

type Dependencies = Readonly<{
  log: Readonly<{ error: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  notify: (notice: Notice) => void;
  clock: Clock;
}>;

export function createAlarms({ log, notify, clock }: Dependencies): Alarms {
  let raised: readonly RaisedAlarm[] = [];
  let count = 0;
  const isKnown = (alarm: Alarm): boolean =>
    raised.some(
      ({ kind, position, replica }) =>
        kind === alarm.kind && position === alarm.position && replica === alarm.replica,
    );
  return {
    raise: (alarm) => {
      if (isKnown(alarm)) return;
      count += 1;
      raised = [{ ...alarm, at: toRfc3339(clock()) }, ...raised].slice(0, lastMax);
      log.error({ ...alarm }, 'the event log is not what it was');
      notify({ event: 'log_alarm', ...alarm });
    },
    last: () => raised,
    count: () => count,
  };
}
