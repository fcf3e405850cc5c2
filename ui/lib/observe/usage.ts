// Prepares sums of usage for the screen: groups, shares and comparisons with the previous period.

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

/** Null if the API cannot filter by the group. */
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

/** A UTC day as a range. Null if the text is not a day. */
export function rangeOfDay(day: string): string | null {
  const since = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(since)) return null;
  return [since, since + dayMs].map((at) => new Date(at).toISOString()).join('/');
}

export const withoutKey: Readonly<Record<Grouping, string>> = {
  model: 'refused before routing',
  principal: 'no principal',
  virtual_model: 'no frontend model',
  provider: 'no provider',
  tag: 'no tag',
  day: 'no day',
};

/** `+12 %`; empty if either value is unknown or the earlier one is 0. */
function differenceText(
  now: number | null,
  before: number | null,
  format: typeof formatShare,
): string {
  if (now === null || before === null || before === 0) return '';
  if (now === before) return 'unchanged';
  const share = format(Math.abs(now - before), before);
  if (share.startsWith('<')) return 'no change';
  return now > before ? `+${share}` : `−${share}`;
}

/** `+12 % vs previous period`; empty if there is nothing to compare. */
export function comparedText(now: number | null, before: number | null): string {
  const text = differenceText(now, before, formatShare);
  return text.endsWith('%') ? `${text} vs previous period` : text;
}

type Spent = Readonly<{ key: string | null; cost_micros: number | null }>;

/** Micros in the previous period. Null is unknown; 0 also if the group did not exist. */
export type Beside<Group> = Group & Readonly<{ before_micros: number | null }>;

type Before = Readonly<{
  groups: readonly Spent[];
  isWhole: boolean;
}>;

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

/** Null if there is nothing to compare. */
export const changeOf = ({ cost_micros: now, before_micros: before }: Beside<Spent>) =>
  now === null || before === null || before === 0 ? null : (now - before) / before;

/** `+12.0 %`, or "new" without earlier spend. */
export const changeText = ({ cost_micros: now, before_micros: before }: Beside<Spent>): string =>
  now !== null && now > 0 && before === 0
    ? 'new'
    : differenceText(now, before, formatShareOfColumn);

/** For a table with some of the groups. */
export const hiddenText = ({
  shown,
  hidden,
}: Readonly<{ shown: number; hidden: number }>): string =>
  `The ${formatNumber(shown)} groups with the highest spend. ` +
  `The totals above include the other ${formatNumber(hidden)} groups.`;

/** `0.8 % before`; empty if there were no requests. */
export const failedBeforeText = (before: Readonly<{ failed: number; requests: number }>): string =>
  before.requests === 0 ? '' : `${formatShare(before.failed, before.requests)} before`;

type Priced = Readonly<{ requests: number; unpriced: number }>;

/** The number of requests without a price. */
export function unpricedText({ requests, unpriced }: Priced): string {
  if (requests === 0) return 'no requests';
  return unpriced === 0 ? 'all requests priced' : `+ ${formatCount(unpriced, 'unpriced request')}`;
}

/** Joins the nonempty parts, with no-break spaces before percent signs. */
export const joined = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(', ')
    .replaceAll(' %', '\u00a0%');

/** To the cent from one dollar on, exactly below: requests cost fractions of a cent. */
export const formatSpend = (micros: number | null): string =>
  micros !== null && Math.abs(micros) < 1_000_000
    ? formatMoney(Math.round(micros))
    : formatMoneyShort(micros);

/** Exact while all values are below a dollar, otherwise to the cent. */
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

/** Null if the group has no record. */
export function recordOf(grouping: Grouping, row: Recorded): RecordPlace | null {
  switch (grouping) {
    case 'model':
      return placeOf('View model', 'models', row.model_id);
    case 'virtual_model':
      return placeOf('View frontend model', 'frontend-models', row.frontend_model_id);
    case 'principal':
      return placeOf('View principal', 'principals', row.principal_id);
    case 'provider':
      return placeOf('View provider', 'providers', row.provider_id);
    case 'tag':
    case 'day':
      return null;
  }
}
