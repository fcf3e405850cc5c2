// What the screen of usage and spend makes of sums: how a group is found again in the single rows, its share, and how much a total
// differs from the one before.

import { formatMoney, formatMoneyShort, formatShare } from './format.ts';

export const groupings = [
  { value: 'model', label: 'Model' },
  { value: 'principal', label: 'Principal' },
  { value: 'virtual_model', label: 'Frontend model' },
  { value: 'provider', label: 'Provider' },
  { value: 'tag', label: 'Tag' },
  { value: 'day', label: 'Day' },
] as const;

export type Grouping = (typeof groupings)[number]['value'];

export const readGrouping = (text: string | undefined): Grouping =>
  groupings.find(({ value }) => value === text)?.value ?? 'model';

type Named = Readonly<{ id: number; name: string }>;
type RowFilter = Readonly<{
  model?: string;
  virtual_model?: string;
  provider?: string;
  tag?: string;
  principal_id?: number;
}>;

/** What asks for the single rows of a group; null where nothing can: the group of those without, or a name that is nobody's now. */
export function rowFilterOf(
  grouping: Grouping,
  key: string | null,
  principals: readonly Named[],
): RowFilter | null {
  if (key === null) return null;
  switch (grouping) {
    case 'model':
      return { model: key };
    case 'virtual_model':
      return { virtual_model: key };
    case 'provider':
      return { provider: key };
    case 'tag':
      return { tag: key };
    case 'principal': {
      const found = principals.find(({ name }) => name === key);
      return found === undefined ? null : { principal_id: found.id };
    }
    case 'day':
      return null;
  }
}

const dayMs = 24 * 3_600_000;

/** The range of a day of UTC, as it stands in the address; null when the text is none. */
export function rangeOfDay(day: string): string | null {
  const since = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(since)) return null;
  return [since, since + dayMs].map((at) => new Date(at).toISOString()).join('/');
}

/** What the requests of a group have in common, when they have no key. */
export const withoutKey: Readonly<Record<Grouping, string>> = {
  model: 'refused before a model',
  principal: 'nobody',
  virtual_model: 'no frontend model',
  provider: 'no provider',
  tag: 'no tag',
  day: 'no day',
};

/** `+12 % on before`; empty when one of the two is not known, or there was nothing before. */
export function comparedText(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return '';
  if (now === before) return 'as before';
  const share = formatShare(Math.abs(now - before), before);
  if (share.startsWith('<')) return 'about as before';
  return now > before ? `+${share} on before` : `−${share} on before`;
}

/** A share is compared by what it was: `0.8 % before`; empty when there was nothing before. */
export const failedBeforeText = (before: Readonly<{ failed: number; requests: number }>): string =>
  before.requests === 0 ? '' : `${formatShare(before.failed, before.requests)} before`;

/** What is said of one number, without what there is nothing to say of. */
export const joined = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join(', ');

/** To the cent from a dollar on, and exactly below: requests cost fractions of a cent. */
export const formatSpend = (micros: number | null): string =>
  micros !== null && Math.abs(micros) < 1_000_000
    ? formatMoney(Math.round(micros))
    : formatMoneyShort(micros);
