// Reads and writes the price card of a model in a form, and describes its prices.

import { formatMoney, formatNumber } from '../text/format.ts';
import type { Typed } from '../saves/typed.ts';

/** The card as JSON, in micro-units. The server checks its members. */
export const rates: Typed<object | null> = {
  write: (card) => (card === null ? '' : JSON.stringify(card, null, 2)),
  read: (text) => {
    if (text.trim() === '') return null;
    try {
      const card: unknown = JSON.parse(text);
      return typeof card === 'object' && !Array.isArray(card) ? card : undefined;
    } catch {
      return undefined;
    }
  },
  must: 'must be a JSON object such as {"cache_read": 300000}, in micro-units, or empty',
};

/** The prices of a card in words, one each, such as `cache_read: $0.30`. */
export const cardTexts = (card: object): readonly string[] =>
  Object.entries(card).flatMap(([name, value]: [string, unknown]) => textsOf(name, value));

function textsOf(name: string, value: unknown): readonly string[] {
  switch (name) {
    case 'context_tiers':
      return Array.isArray(value) ? value.map(tierText) : [];
    case 'tool_calls':
      return entriesOf(value).map(([tool, price]) => `each call of ${tool}: ${moneyText(price)}`);
    case 'service_tiers':
      return entriesOf(value).map(([tier, prices]) => `service tier ${tier}: ${setText(prices)}`);
    case 'fallbacks':
      return entriesOf(value).map(([price, other]) => `${price}: the price of ${String(other)}`);
    default:
      return [`${name}: ${moneyText(value)}`];
  }
}

function tierText({ above_tokens: above, ...prices }: { above_tokens?: number }): string {
  return `above ${formatNumber(above ?? 0)} prompt tokens: ${setText(prices)}`;
}

function setText(value: unknown): string {
  const texts = entriesOf(value).map(([name, member]) => {
    if (name === 'percent') return `${String(member)} % of the other prices`;
    return Array.isArray(member) ? member.map(tierText).join('; ') : `${name} ${moneyText(member)}`;
  });
  return texts.join(', ');
}

const moneyText = (value: unknown): string =>
  typeof value === 'number' ? formatMoney(value) : String(value);

const entriesOf = (value: unknown): readonly [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
