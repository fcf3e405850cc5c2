// Reads the hours of the week in which the prices of a service tier apply. A text such as
// `1-5 16:30-24:00, 6-7 00:00-24:00` has days of the week, from Monday as 1, and times in UTC.

const dayMinutes = 1440;

type Span = Readonly<{ firstDay: number; lastDay: number; from: number; to: number }>;

/** Spans are bounded, because each request of the model compares its time with them. */
const spansMax = 64;

const spanPattern = /^([1-7])(?:-([1-7]))? ([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

export const hoursRule =
  'must be hours in UTC by day of the week, such as 1-5 16:30-24:00, 6-7 00:00-24:00';

/** Null if the text is not valid. */
function spansOf(hours: string): readonly Span[] | null {
  const parts = hours.split(', ');
  const spans: Span[] = [];
  for (const part of parts.length > spansMax ? [''] : parts) {
    const [, first, last = first, ...times] = spanPattern.exec(part) ?? [];
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = times.map(Number);
    const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
    const span = { firstDay: Number(first), lastDay: Number(last), from, to };
    if (!(span.firstDay <= span.lastDay && from < to && to <= dayMinutes)) return null;
    spans.push(span);
  }
  return spans;
}

export const isHours = (text: string): boolean => spansOf(text) !== null;

/** `atMs` is epoch milliseconds. The end of a span is not part of it. */
export function isWithinHours(hours: string, atMs: number): boolean {
  const minutes = Math.floor(atMs / 60_000);
  // The epoch began on a Thursday.
  const day = ((Math.floor(minutes / dayMinutes) + 3) % 7) + 1;
  const minute = minutes % dayMinutes;
  return (
    spansOf(hours)?.some(
      ({ firstDay, lastDay, from, to }) =>
        firstDay <= day && day <= lastDay && from <= minute && minute < to,
    ) ?? false
  );
}

/** The hours of the week in which `isOpen` is true. `minute` counts from Monday 00:00 UTC. */
export function hoursWhere(isOpen: (minute: number) => boolean): string {
  const days = Array.from({ length: 7 }, (_, day) => spansWithin(isOpen, day * dayMinutes));
  const texts: string[] = [];
  for (let first = 0, next = 0; first < 7; first = next) {
    const spans = days[first] ?? [];
    for (next = first + 1; next < 7 && days[next]?.join() === spans.join(); next++);
    const name = next === first + 1 ? `${first + 1}` : `${first + 1}-${next}`;
    texts.push(...spans.map((span) => `${name} ${span}`));
  }
  return texts.join(', ');
}

function spansWithin(isOpen: (minute: number) => boolean, start: number): string[] {
  const spans: string[] = [];
  for (let from = 0, to = 0; from < dayMinutes; from = to + 1) {
    for (to = from; to < dayMinutes && isOpen(start + to); to++);
    if (to > from) spans.push(`${clock(from)}-${clock(to)}`);
  }
  return spans;
}

const clock = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
