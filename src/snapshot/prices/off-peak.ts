// Reads the hours of off-peak prices in the format of LiteLLM.

import { z } from 'zod';

import { hoursWhere } from '../../usage/price-hours.ts';

const clock = z.string().regex(/^\d{1,2}:\d{2}-\d{1,2}:\d{2}$/);
const clocks = z.union([clock.transform((one) => [one]), z.array(clock).min(1).max(24)]);
const window = z.object({
  hours_utc: clocks,
  /** From Monday as 1. */
  weekdays: z.array(z.int().min(1).max(7)).optional(),
});
const schedule = z.object({
  hours_utc: clocks.optional(),
  windows: z.array(window).max(24).optional(),
  /** The zone of the days. Its offset is that of winter. */
  weekday_timezone: z.string().optional(),
});

const winter = Date.UTC(2026, 0, 1);
const dayMinutes = 1440;
const weekMinutes = 7 * dayMinutes;

/** The hours of a service tier. Null if the value is not such a schedule. */
export function readOffPeakHours(value: unknown): string | null {
  const read = schedule.safeParse(value);
  if (!read.success) return null;
  const { hours_utc: daily, windows = [], weekday_timezone: zone = 'UTC' } = read.data;
  const offset = offsetOf(zone);
  if (offset === null) return null;
  const all = [...windows, ...(daily === undefined ? [] : [{ hours_utc: daily }])];
  const hours = hoursWhere((minute) => {
    const local = (minute + offset + weekMinutes) % weekMinutes;
    const day = Math.floor(local / dayMinutes) + 1;
    return all.some(
      ({ hours_utc: times, weekdays }: z.output<typeof window>) =>
        (weekdays?.includes(day) ?? true) && times.some((one) => isIn(one, minute % dayMinutes)),
    );
  });
  return hours === '' ? null : hours;
}

/** A span may end on the next day. One that starts at its end covers the day. */
function isIn(span: string, minute: number): boolean {
  const [from = 0, to = 0] = span.split('-').map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return hours * 60 + minutes;
  });
  return from < to ? from <= minute && minute < to : minute >= from || minute < to;
}

/** In minutes. Null if the zone is unknown. */
function offsetOf(timeZone: string): number | null {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(winter)
      .find(({ type }) => type === 'timeZoneName');
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(parts?.value ?? '') ?? [];
    const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
    return sign === '-' ? -size : size;
  } catch {
    return null;
  }
}
