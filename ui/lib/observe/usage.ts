// What the screen of usage and spend makes of sums: how a group is found again in the single rows, its share, and how much a total
// differs from the one before.

import {
  formatCount,
  formatMoney,
  formatMoneyShort,
  formatNumber,
  formatShare,
  formatShareOfColumn,
} from '../text/format.ts';

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
  model: 'refused before routing',
  principal: 'no principal',
  virtual_model: 'no frontend model',
  provider: 'no provider',
  tag: 'no tag',
  day: 'no day',
};

/** `+12 %`; empty when one of the two is not known, or there was nothing before. */
function differenceText(
  now: number | null,
  before: number | null,
  format: typeof formatShare,
): string {
  if (now === null || before === null || before === 0) return '';
  if (now === before) return 'unchanged';
  const share = format(Math.abs(now - before), before);
  if (share.startsWith('<')) return 'almost unchanged';
  return now > before ? `+${share}` : `−${share}`;
}

/** `+12 % vs before`; empty when one of the two is not known, or there was nothing before. */
export function comparedText(now: number | null, before: number | null): string {
  const text = differenceText(now, before, formatShare);
  return text.endsWith('%') ? `${text} vs before` : text;
}

type Spent = Readonly<{ key: string | null; cost_micros: number | null }>;

/** Micros that a group spent in the time before: null when they are not known, and 0 also where there was no such group. */
export type Beside<Group> = Group & Readonly<{ before_micros: number | null }>;

type Before = Readonly<{
  groups: readonly Spent[];
  /** There are no other groups. */
  isWhole: boolean;
}>;

/** Each group with what it spent before. */
export function beside<Group extends Spent>(
  now: readonly Group[],
  { groups, isWhole }: Before,
): readonly Beside<Group>[] {
  const spent = new Map(groups.map(({ key, cost_micros }) => [key, cost_micros]));
  const missing = isWhole ? 0 : null;
  return now.map((one) => {
    const before = spent.get(one.key);
    return { ...one, before_micros: before === undefined ? missing : before };
  });
}

/** What a group spends more or less than before, as a share of that; null where there is nothing to compare. */
export const changeOf = ({ cost_micros: now, before_micros: before }: Beside<Spent>) =>
  now === null || before === null || before === 0 ? null : (now - before) / before;

/** `+12.0 %`, or "new" for what spent nothing before. */
export const changeText = ({ cost_micros: now, before_micros: before }: Beside<Spent>): string =>
  now !== null && now > 0 && before === 0
    ? 'new'
    : differenceText(now, before, formatShareOfColumn);

/** Below a table that does not hold all groups. */
export const hiddenText = ({
  shown,
  hidden,
}: Readonly<{ shown: number; hidden: number }>): string =>
  `The ${formatNumber(shown)} groups with the highest spend. ` +
  `The totals above include the other ${formatNumber(hidden)}.`;

/** A share is compared by what it was: `0.8 % before`; empty when there was nothing before. */
export const failedBeforeText = (before: Readonly<{ failed: number; requests: number }>): string =>
  before.requests === 0 ? '' : `${formatShare(before.failed, before.requests)} before`;

type Priced = Readonly<{ requests: number; unpriced: number }>;

/** What stands beside a sum of money: how much of it is missing. Of nothing, nothing is said to be priced. */
export function unpricedText({ requests, unpriced }: Priced): string {
  if (requests === 0) return 'no requests';
  return unpriced === 0 ? 'all priced' : `+ ${formatCount(unpriced, 'unpriced request')}`;
}

/** What is said of one number, without what there is nothing to say of; no line ends before a percent sign. */
export const joined = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(', ')
    .replaceAll(' %', '\u00a0%');

/** To the cent from a dollar on, and exactly below: requests cost fractions of a cent. */
export const formatSpend = (micros: number | null): string =>
  micros !== null && Math.abs(micros) < 1_000_000
    ? formatMoney(Math.round(micros))
    : formatMoneyShort(micros);

/** Of a column, digit below digit: exactly as long as none of it is a dollar, and to the cent otherwise. */
export function spendFormat(column: readonly (number | null)[]): (micros: number | null) => string {
  const isLittle = column.every((micros) => Math.abs(micros ?? 0) < 1_000_000);
  return (micros) =>
    micros === null || !isLittle
      ? formatMoneyShort(micros)
      : `${micros < 0 ? '-' : ''}$${(Math.abs(micros) / 1_000_000).toFixed(6)}`;
}

type Recorded = Readonly<{
  model_id: number | null;
  principal_id: number;
  provider_id: number | null;
  frontend_model_id: number | null;
}>;

type RecordPlace = Readonly<{ words: string; screen: string; rest: readonly number[] }>;

const placeOf = (words: string, screen: string, id: number | null): RecordPlace | null =>
  id === null ? null : { words, screen, rest: [id] };

/** The record that a grouping is by, as one of its requests knows it; null where it is none, or the request reached none. */
export function recordOf(grouping: Grouping, row: Recorded): RecordPlace | null {
  switch (grouping) {
    case 'model':
      return placeOf('See the model', 'models', row.model_id);
    case 'virtual_model':
      return placeOf('See the frontend model', 'frontend-models', row.frontend_model_id);
    case 'principal':
      return placeOf('See the principal', 'principals', row.principal_id);
    case 'provider':
      return placeOf('See the provider', 'providers', row.provider_id);
    case 'tag':
    case 'day':
      return null;
  }
}
