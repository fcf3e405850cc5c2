// Reads and writes the form of a price card. Each text of the draft is a member named by its place, such as `price_card.cache_read`. A row
// of tools or tiers has a number: `price_card.tool_calls.0.amount`.

import {
  cachedPrices,
  partPrices,
  reportedName,
  tokenPrices,
  unitPrices,
} from '../../../src/usage/price-names.ts';
import { textOrNull, wrong } from '../saves/draft.ts';
import type { Wrong } from '../saves/draft.ts';
import { bound, count, price } from '../saves/typed.ts';
import type { Texts, Typed, TypedTexts } from '../saves/typed.ts';
import { readWallTime } from '../text/wall-time.ts';

type Reader = Pick<Typed<string | number | null>, 'read' | 'must'>;

const types = {
  price,
  text: { read: textOrNull, must: '' },
  amount: {
    read: (text) => price.read(text) ?? undefined,
    must: 'must be an amount such as 0.01',
  },
  tokens: {
    read: (text) => count.read(text) ?? undefined,
    must: 'must be a whole number of tokens above zero',
  },
  percent: { read: bound.read, must: 'must be a whole number of percent, or empty' },
  time: { read: readTime, must: 'must be a time in UTC such as 2026-12-01 00:00, or empty' },
  /** The name of a row, which is a key of the card. */
  name: {
    read: (text) => (reportedName.pattern.test(text.trim()) ? text.trim() : undefined),
    must: reportedName.must,
  },
} as const satisfies Readonly<Record<string, Reader>>;

function readTime(text: string): string | null | undefined {
  if (text.trim() === '') return null;
  const found = readWallTime(text, 'utc');
  return 'at' in found ? new Date(found.at).toISOString() : undefined;
}

export type CardField = Readonly<{
  /** The last part of its place in the card. */
  key: string;
  /** The name that refusals of the server use. */
  name: string;
  /** The member of the draft. */
  member: string;
  label: string;
  type: keyof typeof types;
}>;

export type CardRow = Readonly<{
  /** The prefix of its members in the draft. */
  member: string;
  fields: readonly CardField[];
  tiers: CardRows;
}>;
export type CardRows = Readonly<{ member: string; rows: readonly CardRow[] }>;

export type CardParts = Readonly<{
  prices: readonly CardField[];
  facts: readonly CardField[];
  fallbacks: readonly CardField[];
  tool_calls: CardRows;
  service_tiers: CardRows;
  context_tiers: CardRows;
}>;

type Place = Readonly<{ name: string; member: string }>;

const fieldIn = (
  { name, member }: Place,
  field: Pick<CardField, 'key' | 'label' | 'type'>,
): CardField => ({ ...field, name: `${name}.${field.key}`, member: `${member}.${field.key}` });

const pricesIn = (
  place: Place,
  names: readonly Readonly<{ name: string; label: string }>[],
): readonly CardField[] =>
  names.map(({ name: key, label }) => fieldIn(place, { key, label, type: 'price' }));

/** `card` is the name of the field. */
export function cardParts(draft: Texts, card: string): CardParts {
  const whole = { name: card, member: card };
  const fallbacks = { name: `${card}.fallbacks`, member: `${card}.fallbacks` };
  return {
    prices: pricesIn(whole, [...partPrices, ...cachedPrices, ...unitPrices]),
    facts: [
      fieldIn(whole, { key: 'currency', label: 'Currency', type: 'text' }),
      fieldIn(whole, { key: 'effective_from', label: 'Effective from', type: 'time' }),
    ],
    fallbacks: partPrices.map(({ name: key, label }) =>
      fieldIn(fallbacks, { key, label, type: 'text' }),
    ),
    tool_calls: rowsIn(draft, { of: whole, key: 'tool_calls' }, toolRow),
    service_tiers: rowsIn(draft, { of: whole, key: 'service_tiers' }, serviceRow),
    context_tiers: contextTiers(draft, whole),
  };
}

const none: CardRows = { member: '', rows: [] };

/** The server names an amount by its tool. */
const toolRow = (_: Texts, place: Place): CardRow => ({
  member: place.member,
  fields: [
    fieldIn(place, { key: 'name', label: 'Tool', type: 'name' }),
    { ...fieldIn(place, { key: 'amount', label: 'Each call', type: 'amount' }), name: place.name },
  ],
  tiers: none,
});

/** A percentage leaves no place for prices, but those that are set remain visible. */
function serviceRow(draft: Texts, place: Place): CardRow {
  const isSet = ({ member }: Pick<CardField, 'member'>) => (draft[member] ?? '').trim() !== '';
  const percent = fieldIn(place, {
    key: 'percent',
    label: 'Percent of the other prices',
    type: 'percent',
  });
  const hours = fieldIn(place, { key: 'hours', label: 'Hours in UTC', type: 'text' });
  const prices = pricesIn(place, tokenPrices);
  const own = contextTiers(draft, place);
  return {
    member: place.member,
    fields: [
      { ...fieldIn(place, { key: 'name', label: 'Service tier', type: 'name' }), name: place.name },
      percent,
      ...(isSet(percent) ? prices.filter(isSet) : prices),
      hours,
    ],
    tiers: isSet(percent) && own.rows.length === 0 ? none : own,
  };
}

const contextTiers = (draft: Texts, of: Place): CardRows =>
  rowsIn(draft, { of, key: 'context_tiers' }, (_, place) => ({
    member: place.member,
    fields: [
      fieldIn(place, { key: 'above_tokens', label: 'Above prompt tokens', type: 'tokens' }),
      ...pricesIn(place, tokenPrices),
    ],
    tiers: none,
  }));

/** The server knows a row by its name, or by its position if rows have no names. */
function rowsIn(
  draft: Texts,
  { of, key }: Readonly<{ of: Place; key: string }>,
  rowAt: (draft: Texts, place: Place) => CardRow,
): CardRows {
  const member = `${of.member}.${key}`;
  const taken = new Set<string>();
  const rows = numbersIn(draft, member).map((number, position) => {
    const named = (draft[`${member}.${number}.name`] ?? '').trim();
    const known = named === '' || taken.has(named) ? String(position) : named;
    taken.add(known);
    return rowAt(draft, { name: `${of.name}.${key}.${known}`, member: `${member}.${number}` });
  });
  return { member, rows };
}

function numbersIn(draft: Texts, member: string): readonly number[] {
  const inside = Object.keys(draft).filter((key) => key.startsWith(`${member}.`));
  const numbers = inside.map((key) => Number(key.slice(member.length + 1).split('.')[0]));
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** Adds an empty row. `first` is the key of one of its fields. */
export const withRow = <Draft extends Texts>(
  draft: Draft,
  { member }: CardRows,
  first: string,
): Draft => ({
  ...draft,
  [`${member}.${(numbersIn(draft, member).at(-1) ?? -1) + 1}.${first}`]: '',
});

/** Removes all texts of a row, or of the whole card. */
export function withoutTexts<Draft extends Texts>(draft: Draft, member: string): Draft {
  const kept = { ...draft };
  for (const key of Object.keys(draft)) {
    if (key.startsWith(`${member}.`)) Reflect.deleteProperty(kept, key);
  }
  return kept;
}

/** All fields, including those of rows. */
export const cardFields = (parts: CardParts): readonly CardField[] => [
  ...parts.prices,
  ...parts.facts,
  ...parts.fallbacks,
  ...[parts.tool_calls, parts.service_tiers, parts.context_tiers].flatMap(rowFields),
];

const rowFields = ({ rows }: CardRows): readonly CardField[] =>
  rows.flatMap(({ fields, tiers }) => [...fields, ...rowFields(tiers)]);

/** A card without any member is null. */
export const rates: TypedTexts<object | null> = {
  writeTexts: (card, name) => (card === null ? {} : textsOf(card, name)),
  readTexts: (draft, name) => {
    const problems: Wrong[] = [];
    const from = { draft, problems };
    const parts = cardParts(draft, name);
    const card = compact({
      ...valuesIn(from, [...parts.prices, ...parts.facts]),
      fallbacks: compact(valuesIn(from, parts.fallbacks)),
      tool_calls: namedIn(from, parts.tool_calls, amountOf),
      service_tiers: namedIn(from, parts.service_tiers, (tier) => tier),
      context_tiers: tiersIn(from, parts.context_tiers),
    });
    return problems[0] ?? { body: card };
  },
};

type Value = string | number | object | null;
type Values = Readonly<Record<string, Value>>;
/** Problems are added while the draft is read. */
type From = Readonly<{ draft: Texts; problems: Wrong[] }>;

const valuesIn = ({ draft, problems }: From, fields: readonly CardField[]): Values =>
  Object.fromEntries(
    fields.map(({ key, name, member, type }) => {
      const value = types[type].read(draft[member] ?? '');
      if (value === undefined) problems.push(wrong(name, types[type].must));
      return [key, value ?? null];
    }),
  );

const rowIn = (from: From, { fields, tiers }: CardRow): Values => ({
  ...valuesIn(from, fields),
  context_tiers: tiersIn(from, tiers),
});

const tiersIn = (from: From, { rows }: CardRows): Value =>
  rows.length === 0 ? null : rows.map((row) => compact(rowIn(from, row)) ?? {});

function namedIn(from: From, { rows }: CardRows, valueOf: (row: object) => Value): Value {
  const named = new Map<string, Value>();
  for (const row of rows) {
    const { name, ...values } = rowIn(from, row);
    if (typeof name !== 'string') continue;
    if (named.has(name)) {
      const field = row.fields.find(({ type }) => type === 'name');
      from.problems.push(wrong(field?.name ?? '', 'must be a name that no other row has'));
    }
    named.set(name, valueOf(compact(values) ?? {}));
  }
  return compact(Object.fromEntries(named));
}

/** Only what is set, in the order of keys that the server uses. Null if nothing is set. */
function compact(values: Values): object | null {
  const set = Object.entries(values).filter(([, value]) => value !== null);
  if (set.length === 0) return null;
  return Object.fromEntries(set.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const amountOf = (row: object): Value =>
  'amount' in row && typeof row.amount === 'number' ? row.amount : null;

function textsOf(card: object, member: string): Texts {
  const texts = Object.entries(card).map(([key, value]: [string, unknown]): Texts => {
    const at = `${member}.${key}`;
    if (typeof value === 'string') return { [at]: value };
    if (typeof value === 'number') return { [at]: numberText(key, value) };
    if (Array.isArray(value)) {
      return joined(value.map((tier: object, row) => textsOf(tier, `${at}.${row}`)));
    }
    if (typeof value !== 'object' || value === null) return {};
    return key === 'fallbacks' ? textsOf(value, at) : rowTexts(value, at);
  });
  return joined(texts);
}

const rowTexts = (named: object, member: string): Texts =>
  joined(
    Object.entries(named).map(([name, value]: [string, unknown], row): Texts => {
      const at = `${member}.${row}`;
      const own =
        typeof value === 'object' && value !== null
          ? textsOf(value, at)
          : { [`${at}.amount`]: numberText('amount', Number(value)) };
      return joined([{ [`${at}.name`]: name }, own]);
    }),
  );

const numberText = (key: string, value: number): string =>
  key === 'percent' || key === 'above_tokens' ? String(value) : price.write(value);

const joined = (texts: readonly Texts[]): Texts => Object.assign({}, ...texts);
