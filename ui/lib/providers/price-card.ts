// Describes the prices of a price card in words.

import { tokenPrices, unitPrices } from '../../../src/usage/price-names.ts';
import { formatMoneyOf, formatNumber } from '../text/format.ts';

const labels: ReadonlyMap<string, string> = new Map(
  [...tokenPrices, ...unitPrices].map(({ name, label }) => [name, label]),
);
const labelOf = (name: string): string => labels.get(name) ?? name;

/** The order of members, as in the form. */
const order = [
  ...labels.keys(),
  'percent',
  'hours',
  'tool_calls',
  'service_tiers',
  'context_tiers',
  'fallbacks',
  'currency',
  'effective_from',
];

const unitNames: ReadonlySet<string> = new Set(unitPrices.map(({ name }) => name));

/** The prices of a card in words, one each, such as `Cache reads: $0.30 per million tokens`. */
export function cardTexts(card: object): readonly string[] {
  const currency = currencyOf(card);
  return entriesOf(card).flatMap(([name, value]) => textsOf({ name, value, currency }));
}

/** Also that of the base prices. */
export const currencyOf = (card: object | null): string =>
  card !== null && 'currency' in card && typeof card.currency === 'string' ? card.currency : 'USD';

type Member = Readonly<{ name: string; value: unknown; currency: string }>;

function textsOf({ name, value, currency }: Member): readonly string[] {
  switch (name) {
    case 'currency':
      return [`Currency: ${currency}`];
    case 'effective_from':
      return [`Effective from ${String(value)}`];
    case 'context_tiers':
      return Array.isArray(value) ? value.map((tier: object) => tierText(tier, currency)) : [];
    case 'tool_calls':
      return entriesOf(value).map(
        ([tool, price]) => `Each call of ${tool}: ${moneyText(price, currency)}`,
      );
    case 'service_tiers':
      return entriesOf(value).map(
        ([tier, prices]) => `Service tier ${tier}: ${setText(prices, currency)}`,
      );
    case 'fallbacks':
      return entriesOf(value).map(
        ([price, other]) => `${labelOf(price)}: the price of ${labelOf(String(other))}`,
      );
    default: {
      const per = unitNames.has(name) ? '' : ' per million tokens';
      return [`${labelOf(name)}: ${moneyText(value, currency)}${per}`];
    }
  }
}

function tierText(tier: Readonly<{ above_tokens?: number }>, currency: string): string {
  const { above_tokens: above, ...prices } = tier;
  return `Above ${formatNumber(above ?? 0)} prompt tokens: ${setText(prices, currency)}`;
}

function setText(value: unknown, currency: string): string {
  const texts = entriesOf(value).map(([name, member]) => {
    if (name === 'percent') return `${String(member)} % of the other prices`;
    if (name === 'hours') return `also at ${String(member)} UTC`;
    return Array.isArray(member)
      ? member.map((tier: object) => tierText(tier, currency)).join('; ')
      : `${labelOf(name)} ${moneyText(member, currency)}`;
  });
  return texts.join(', ');
}

const moneyText = (value: unknown, currency: string): string =>
  typeof value === 'number' ? formatMoneyOf(value, currency) : String(value);

const entriesOf = (value: unknown): readonly [string, unknown][] =>
  Object.entries(value ?? {}).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
