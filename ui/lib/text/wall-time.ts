// Reads and writes wall-clock times such as `2026-11-21 14:05` in the chosen zone, independent of the browser and correct across clock
// changes.

import type { Zone } from './format.ts';
import { readOffset, writeOffset } from './utc-offset.ts';

export type ReadTime = Readonly<{ at: number }> | Readonly<{ wrong: string }>;

const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]+(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/;
const zonePattern = /\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d\d)?)$/i;
const minuteMs = 60_000;

/** Epoch milliseconds. An explicit zone such as `Z` or `+01:00` overrides the chosen one. */
export function readWallTime(text: string, zone: Zone): ReadTime {
  const typed = text.trim();
  // The end of a date looks like an offset.
  const given = /\d:\d|[a-z]$/i.test(typed) ? zonePattern.exec(typed) : null;
  const clock = given === null ? typed : typed.slice(0, given.index);
  const parts = (pattern.exec(clock) ?? []).slice(1).map((part) => part ?? '0');
  const [year = NaN, month = NaN, day = NaN, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const millisecond = Number((parts[6] ?? '0').padEnd(3, '0'));
  const named = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  const isThere =
    !Number.isNaN(named) &&
    clockOf(named).slice(0, 16) === written([year, month, day], hour, minute);
  if (!isThere || second > 59) return { wrong: 'must be a time such as 2026-11-21 14:05' };
  const offset = given === null ? null : readOffset((given[1] ?? '').replace(/^z$/i, 'UTC'));
  if (offset === undefined) return { wrong: 'must end with a zone such as Z or +01:00' };
  if (offset !== null) return { at: named - offset * minuteMs };
  if (zone === 'utc') return { at: named };
  const local = new Date(year, month - 1, day, hour, minute, second, millisecond);
  // Some local times do not exist when clocks are set forward.
  return localClock(local) === named
    ? { at: local.getTime() }
    : { wrong: `does not exist: clocks are set forward to ${clockText(localClock(local))}` };
}

/** To the second. A repeated local hour gets its offset. */
export function writeWallTime(at: number, zone: Zone): string {
  const whole = Math.floor(at / 1_000) * 1_000;
  if (zone === 'utc') return clockText(whole);
  const local = new Date(whole);
  const text = clockText(localClock(local));
  const back = readWallTime(text, zone);
  if ('at' in back && back.at === whole) return text;
  return `${text}${writeOffset(-local.getTimezoneOffset())}`;
}

/** The local clock as if it were UTC. */
const localClock = (at: Date): number => at.getTime() - at.getTimezoneOffset() * minuteMs;

const clockOf = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

const clockText = (at: number): string => clockOf(at).replace(/:00$/, '');

const written = (day: readonly number[], hour: number, minute: number): string =>
  `${day.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')} ${[
    hour,
    minute,
  ]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')}`;
