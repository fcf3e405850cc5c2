// Computes calendar windows of budgets: days, ISO weeks and months in an IANA time zone. A boundary is
// the first instant of its date there, so a window may have an hour more or less than usual.

import type { BudgetCalendar, CalendarUnit } from '../lib/vocabulary.ts';

/** Epoch milliseconds. The end is the start of the next window. */
export type WindowSpan = Readonly<{ startMs: number; endMs: number }>;

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** The window that contains `nowMs`. Throws if the time zone is unknown. */
export function calendarWindow(
  { unit, time_zone: timeZone }: BudgetCalendar,
  nowMs: number,
): WindowSpan {
  const zone = zoneOf(timeZone);
  const boundary = (number: number): number => firstInstant(zone, dateOf(unit, number));
  let number = numberOf(unit, nowMs + zone.offsetMs(nowMs));
  let startMs = boundary(number);
  // The date of `nowMs` may be repeated, after the clock was set back past midnight.
  let endMs = boundary(number + 1);
  while (startMs > nowMs) {
    number -= 1;
    endMs = startMs;
    startMs = boundary(number);
  }
  // A date that the time zone skips begins and ends at the same instant.
  while (endMs <= nowMs) {
    number += 1;
    startMs = endMs;
    endMs = boundary(number + 1);
  }
  return { startMs, endMs };
}

/** The end of the calendar window that contains `nowMs`, in epoch milliseconds. */
export const calendarEnd = (calendar: BudgetCalendar, nowMs: number): number =>
  calendarWindow(calendar, nowMs).endMs;

/** Monday, 5 January 1970. */
const firstMondayMs = 4 * dayMs;

/** Numbers the windows of a unit. `localMs` is the local time as if it were UTC. */
function numberOf(unit: CalendarUnit, localMs: number): number {
  switch (unit) {
    case 'day':
      return Math.floor(localMs / dayMs);
    case 'week':
      return Math.floor((localMs - firstMondayMs) / (7 * dayMs));
    case 'month': {
      const date = new Date(localMs);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    }
  }
}

/** The local midnight at which the window of this number begins, as if it were UTC. */
function dateOf(unit: CalendarUnit, number: number): number {
  switch (unit) {
    case 'day':
      return number * dayMs;
    case 'week':
      return firstMondayMs + number * 7 * dayMs;
    case 'month':
      return Date.UTC(Math.floor(number / 12), number % 12);
  }
}

type Zone = Readonly<{
  /** The difference between local time and UTC at an instant. */
  offsetMs: (atMs: number) => number;
}>;

function zoneOf(timeZone: string): Zone {
  const shown = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return {
    offsetMs: (atMs) => {
      const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
      for (const { type, value } of shown.formatToParts(atMs)) parts[type] = Number(value);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
      const localMs = Date.UTC(year, month - 1, day, hour, minute, second);
      return localMs - Math.floor(atMs / 1000) * 1000;
    },
  };
}

/** No zone differs from UTC by more, so this far from a local time, its offset is settled. */
const offsetMaxMs = 26 * hourMs;

/** The first instant at which local clocks show `localMs` or later. */
function firstInstant({ offsetMs }: Zone, localMs: number): number {
  const before = localMs - offsetMs(localMs - offsetMaxMs);
  const after = localMs - offsetMs(localMs + offsetMaxMs);
  const shows = (atMs: number): boolean => atMs + offsetMs(atMs) === localMs;
  const exact = [before, after].filter(shows);
  if (exact.length > 0) return Math.min(...exact);
  // Clocks skip this time. The first instant after it is the transition.
  let early = Math.min(before, after);
  let late = Math.max(before, after);
  while (late - early > 1000) {
    const middle = Math.floor((early + late) / 2000) * 1000;
    if (middle + offsetMs(middle) >= localMs) late = middle;
    else early = middle;
  }
  return late;
}
