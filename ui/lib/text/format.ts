// Formats values for people. Null is never shown as zero, but as words.

export type Zone = 'utc' | 'local';

const million = 1_000_000;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345`; "no data" for null. */
export const formatNumber = (value: number | null): string =>
  value === null ? 'no data' : whole.format(value);

/** `12.3K`, for tiles and axes. */
export const formatShort = (value: number | null): string =>
  value === null ? 'no data' : Math.abs(value) < 1_000 ? plain(value) : short.format(value);

const plain = (value: number): string => String(Math.round(value * 100) / 100);

/** Small rates are not rounded to zero. */
export const formatRate = (value: number | null): string =>
  value !== null && value !== 0 && Math.abs(value) < 0.01
    ? String(Number(value.toPrecision(2)))
    : formatShort(value);

/** Exact US dollars with two to six decimals; null is "unpriced". */
export function formatMoney(micros: number | null): string {
  if (micros === null) return 'unpriced';
  const sign = micros < 0 ? '-' : '';
  const size = Math.abs(micros);
  const fraction = String(size % million)
    .padStart(6, '0')
    .replace(/0+$/, '')
    .padEnd(2, '0');
  return `${sign}$${whole.format(Math.floor(size / million))}.${fraction}`;
}

/** Exact, in any currency: `$0.05` or `0.05 EUR`. Null for the currency means US dollars. */
export function formatMoneyOf(micros: number | null, currency: string | null): string {
  const money = formatMoney(micros);
  return micros === null || currency === null || currency === 'USD'
    ? money
    : `${money.replace('$', '')} ${currency}`;
}

/** To the cent, for totals. Less than a cent is shown as such. */
export function formatMoneyShort(micros: number | null): string {
  if (micros === null) return 'unpriced';
  if (micros !== 0 && Math.abs(micros) < 10_000) return micros < 0 ? '> -$0.01' : '< $0.01';
  const dollars = micros / million;
  if (Math.abs(dollars) >= 100_000) return `$${short.format(dollars)}`;
  return dollars.toLocaleString('en', { style: 'currency', currency: 'USD' });
}

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 bytes`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(
    byteUnits.length - 1,
    Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)),
  );
  return `${plain(Math.round((bytes / 1_024 ** power) * 10) / 10)} ${byteUnits[power]}`;
}

/** `84 ms`, `1.2 s`, `3 min`. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return 'no data';
  if (ms < 10) return `${plain(ms)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${plain(Math.round(ms / 100) / 10)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 48 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** `2.0 s`, aligned in a column. */
export const formatDurationOfColumn = (ms: number | null): string =>
  formatDuration(ms).replace(/^(\d+) s$/, '$1.0 s');

/** `0.4 %`; "no data" without a total. */
export const formatShare = (part: number, all: number): string => {
  if (all === 0) return 'no data';
  const share = (100 * part) / all;
  if (share > 0 && share < 0.1) return '< 0.1 %';
  return `${plain(Math.round(share * 10) / 10)} %`;
};

/** `3.0 %`, aligned in a column. */
export const formatShareOfColumn = (part: number, all: number): string => {
  const text = formatShare(part, all);
  return /^\d+ %$/.test(text) ? text.replace(' %', '.0 %') : text;
};

/** `UTC`, or the offset of local time: `UTC+05:30`. */
export function formatZone(at: Date, zone: Zone): string {
  const minutes = zone === 'utc' ? 0 : -at.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const written = [hours, rest].map((part) => String(part).padStart(2, '0')).join(':');
  return `UTC${minutes < 0 ? '−' : '+'}${written}`;
}

/** `2026-11-21 14:05:09 UTC`. */
export function formatTime(at: Date, zone: Zone): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  const text = (zone === 'utc' ? at : local).toISOString().slice(0, 19).replace('T', ' ');
  return `${text} ${formatZone(at, zone)}`;
}

/** `3 min ago`, `in 2 h`. */
export function formatSince(at: Date, now: number): string {
  const difference = now - at.getTime();
  if (Math.abs(difference) < 1_000) return 'now';
  const size = formatDuration(Math.abs(Math.trunc(difference / 1_000) * 1_000));
  return difference > 0 ? `${size} ago` : `in ${size}`;
}

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** `models`, `classes`. */
export const pluralOf = (one: string): string => `${one}${one.endsWith('s') ? 'es' : 's'}`;

/** `1 model`, `2 models`. */
export const formatCount = (count: number, one: string, many = pluralOf(one)): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`;
