// Writes field values for people with the unit of the field. A missing price is "unpriced" and a missing limit "unlimited". Values are not
// rounded, because they are compared here.

import { cardTexts } from '../providers/price-card.ts';
import { formatMoney, formatTime } from './format.ts';
import { writeOffset } from './utc-offset.ts';

type Size = readonly [each: number, unit: string];

const ofMilliseconds: readonly Size[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
];
const ofSeconds: readonly Size[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];
const ofBytes: readonly Size[] = [
  [1_024 ** 3, 'GiB'],
  [1_024 ** 2, 'MiB'],
  [1_024, 'KiB'],
  [1, 'bytes'],
];

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const counted = (value: number): string => numbers.format(value);

/** In the largest unit that divides the value evenly. */
const sized =
  (sizes: readonly Size[]) =>
  (value: number): string => {
    const fitting = sizes.find(([each]) => value >= each && value % each === 0) ?? sizes.at(-1);
    const [each, unit] = fitting ?? [1, ''];
    return `${counted(value / each)} ${unit}`;
  };

type Field = Readonly<{
  /** The last part of the name. */
  name: RegExp;
  write: (value: number) => string;
  /** Shown for a missing value; "none" by default. */
  absent?: string;
}>;

/** The first match applies. */
const fields: readonly Field[] = [
  {
    name: /_price_per_mtok$/,
    write: (value) => `${formatMoney(value)} per million tokens`,
    absent: 'unpriced',
  },
  { name: /^cost_total_micros$/, write: formatMoney, absent: 'unlimited' },
  { name: /_micros$/, write: formatMoney },
  { name: /^tokens_total$|_per_min$/, write: counted, absent: 'unlimited' },
  { name: /_tokens$|^context_length$|^max_model_len$/, write: counted },
  { name: /(?:^|_)at(?:_ms)?$/, write: (value) => formatTime(new Date(value), 'utc') },
  { name: /_seconds$|^upstream_timeout$/, write: sized(ofSeconds) },
  { name: /_ms$/, write: sized(ofMilliseconds) },
  { name: /_bytes$/, write: sized(ofBytes) },
  { name: /(?:^|_)percent$|_target_cpu$/, write: (value) => `${value} %` },
  { name: /^utc_offset_minutes$/, write: (value) => `UTC${writeOffset(value)}` },
];

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Amounts of a price card, except its percentages and numbers of tokens. */
const isCardPrice = (field: string): boolean =>
  /(^|\.)price_card\./.test(field) && !/\.(percent|above_tokens)$/.test(field);

/** The value itself if its field has no unit. */
function withUnit(field: string, value: unknown): unknown {
  const name = field.split('.').at(-1) ?? '';
  if (typeof value === 'number') {
    if (isCardPrice(field)) return formatMoney(value);
    return fields.find((one) => one.name.test(name))?.write(value) ?? value;
  }
  if (typeof value === 'string' && name.endsWith('_at') && isoTime.test(value)) {
    return formatTime(new Date(value), 'utc');
  }
  return value;
}

/**
 * `field` is dotted, like the server names fields in errors. Null is an unset field, undefined an absent one. Members of lists and objects
 * are written by their own names.
 */
export function fieldValue(field: string, value: unknown): string {
  if (value === undefined) return 'none';
  if (field.split('.').at(-1) === 'enabled') return value === false ? 'off' : 'on';
  if (value === null) {
    const name = field.split('.').at(-1) ?? '';
    return fields.find((one) => one.name.test(name))?.absent ?? 'none';
  }
  if (typeof value === 'object' && /(^|\.)price_card$/.test(field)) {
    return cardTexts(value).join('\n');
  }
  const written = withUnit(field, value);
  return typeof written === 'string' ? written : JSON.stringify(written, withUnit, 1);
}
