// Words for the window of a budget: its length, and when the budget starts again.

type Calendar = Readonly<{ unit: 'day' | 'week' | 'month'; time_zone: string }>;
type Windows = Readonly<{ window: string; calendar: Calendar | null }>;

/** "daily", or "calendar month, Europe/Zurich". */
export const windowWords = ({ window, calendar }: Windows): string =>
  calendar === null ? window : `calendar ${calendar.unit}, ${calendar.time_zone}`;

/** "1 December 2026, 00:00 Europe/Zurich". In UTC if the browser does not know the zone. */
export function momentIn(at: string, timeZone: string): string {
  try {
    return written(new Date(at), timeZone);
  } catch {
    return written(new Date(at), 'UTC');
  }
}

function written(at: Date, timeZone: string): string {
  const date = at.toLocaleDateString('en-GB', { timeZone, dateStyle: 'long' });
  const time = at.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' });
  return `${date}, ${time} ${timeZone}`;
}

/** Suggested for new calendar windows. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
