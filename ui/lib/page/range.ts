// Reads and writes the time range of a view, half-open `[since, until)`.

export type Range =
  | Readonly<{ kind: 'last'; ms: number }>
  | Readonly<{ kind: 'between'; since: number; until: number }>;

export type Preset = Readonly<{ text: string; label: string }>;

const units: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const presets: readonly Preset[] = [
  { text: '15m', label: 'Last 15 minutes' },
  { text: '1h', label: 'Last hour' },
  { text: '6h', label: 'Last 6 hours' },
  { text: '24h', label: 'Last 24 hours' },
  { text: '7d', label: 'Last 7 days' },
  { text: '14d', label: 'Last 14 days' },
  { text: '30d', label: 'Last 30 days' },
];

/** `24h`, or `2026-11-01T00:00:00Z/2026-11-02T00:00:00Z`; null if invalid or empty. */
export function readRange(text: string): Range | null {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (count !== undefined && unitMs !== undefined && Number(count) > 0) {
    return { kind: 'last', ms: Number(count) * unitMs };
  }
  const [since = NaN, until = NaN] = text.split('/').map((part) => Date.parse(part));
  return since < until ? { kind: 'between', since, until } : null;
}

export function writeRange(range: Range): string {
  if (range.kind === 'between') {
    return [range.since, range.until].map((at) => new Date(at).toISOString()).join('/');
  }
  const found = Object.entries(units).findLast(([, ms]) => range.ms % ms === 0);
  const [unit, ms] = found ?? ['m', 60_000];
  // A day is written as hours if there is a preset for it.
  const hours = `${range.ms / 3_600_000}h`;
  return presets.some(({ text }) => text === hours) ? hours : `${range.ms / ms}${unit}`;
}

export const edgesOf = (range: Range, now: number): Readonly<{ since: number; until: number }> =>
  range.kind === 'between' ? range : { since: now - range.ms, until: now };

/** Null is unbounded. */
export type Ends = Readonly<{ since: number | null; until: number | null }>;

/** `24h` up to now, two times with a slash, one of them, or empty. */
export function readEnds(text: string, now: number): Ends | null {
  if (text === '') return { since: null, until: null };
  const range = readRange(text);
  if (range !== null) {
    return range.kind === 'between' ? range : { since: now - range.ms, until: null };
  }
  const [since = '', until, ...rest] = text.split('/');
  if (until === undefined || rest.length > 0 || (since !== '') === (until !== '')) return null;
  const at = Date.parse(since + until);
  if (Number.isNaN(at)) return null;
  return since === '' ? { since: null, until: at } : { since: at, until: null };
}

/** Empty if both ends are unbounded. */
export const writeEnds = ({ since, until }: Ends): string =>
  since === null && until === null
    ? ''
    : [since, until].map((at) => (at === null ? '' : new Date(at).toISOString())).join('/');

export const isoEdges = ({ since, until }: Readonly<{ since: number; until: number }>) => ({
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
});

/** The previous period: same length, ending where this one begins. */
export const edgesBefore = ({ since, until }: Readonly<{ since: number; until: number }>) => ({
  since: 2 * since - until,
  until: since,
});

const widths = [10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 604_800, 2_592_000];
const bucketsMax = 170;

/** The API's bucket in seconds with which the points of a chart can be told apart. */
export const bucketSecondsOf = ({
  since,
  until,
}: Readonly<{ since: number; until: number }>): number =>
  widths.find((seconds) => (until - since) / 1_000 / seconds <= bucketsMax) ?? 2_592_000;
