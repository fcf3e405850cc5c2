// Condition on the time of the request, at a fixed UTC offset.

import type { Asked } from './asked.ts';
import { condition, notRecorded } from './condition.ts';
import type { Say } from './condition.ts';

const fields = ['after', 'before', 'days'];

export const clock = condition({
  id: 'clock',
  label: 'Time',
  effort: 3,
  fields: {
    after: { type: 'minute', label: 'From', placeholder: '08:00', stored: 'after_minute' },
    before: { type: 'minute', label: 'Until', placeholder: '18:00', stored: 'before_minute' },
    days: { type: 'days', label: 'Days' },
    utc_offset_minutes: { type: 'offset', label: 'Time zone', placeholder: '+00:00' },
  },
  compile: ({ after_minute: after, before_minute: before, days, utc_offset_minutes: offset }) => {
    if (after === null && before === null && days.length === 0) return null;
    const weekdays = days.length === 0 ? everyDay : days.reduce(withDay, 0);
    const isInWindow = ({ epochMinute }: Asked): boolean =>
      isBetween((epochMinute + offset) % dayMinutes, after, before);
    const isOnDay = ({ epochMinute }: Asked): boolean => isAmong(weekdays, epochMinute + offset);
    const key = JSON.stringify(['clock', after, before, weekdays, offset]);
    return {
      holds: (asked) => isOnDay(asked) && isInWindow(asked),
      failed: (asked) => [
        ...(after === null || isInWindow(asked) ? [] : ['after']),
        ...(before === null || isInWindow(asked) ? [] : ['before']),
        ...(isOnDay(asked) ? [] : ['days']),
      ],
      // Every row that stores answers stores the time.
      questions: [{ key, fields, answeredBy: 'time', keep: () => {} }],
    };
  },
  phrases: ({ after, before, days, utc_offset_minutes: offset }, say) => {
    if (after === null && before === null && days.length === 0) return [];
    const parts = [daysText(days), windowText(after, before), zoneText(offset, say)];
    return [{ fields, text: parts.filter((part) => part !== '').join(' ') }];
  },
  matched: ({ rule_inputs: inputs }, { time }) =>
    inputs === null ? notRecorded : time(inputs.at_ms),
});

const dayMinutes = 24 * 60;
/** One bit per weekday. Monday is the lowest. */
const everyDay = 0b111_1111;
const withDay = (bits: number, day: number): number => bits | (1 << (day - 1));
/** The epoch began on a Thursday. Monday is 0. */
const epochWeekday = 3;

/**
 * `after` is inclusive and `before` exclusive. If `after` is later than `before`, the window spans
 * midnight.
 */
function isBetween(minute: number, after: number | null, before: number | null): boolean {
  if (after === null) return before === null || minute < before;
  if (before === null) return minute >= after;
  return after < before ? minute >= after && minute < before : minute >= after || minute < before;
}

/** The day of the local clock, also after midnight within a window. */
function isAmong(weekdays: number, localMinute: number): boolean {
  if (weekdays === everyDay) return true;
  const day = Math.floor(localMinute / dayMinutes) + epochWeekday;
  return (weekdays & (1 << (day % 7))) !== 0;
}

/** Monday is day 1 in rules. */
export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const dayName = (day: number | undefined): string => dayNames[(day ?? 1) - 1] ?? '';

/** Shows consecutive days as a range: `Mon to Fri, Sun`. */
function daysText(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) =>
      run.length < 3 ? run.map(dayName).join(', ') : `${dayName(run[0])} to ${dayName(run.at(-1))}`,
    )
    .join(', ');
}

function windowText(after: string | null, before: string | null): string {
  if (after !== null) return before === null ? `from ${after}` : `${after} to ${before}`;
  return before === null ? '' : `until ${before}`;
}

const zoneText = (offset: number, say: Say): string =>
  offset === 0 ? 'UTC' : `UTC${say.offset(offset)}`;
