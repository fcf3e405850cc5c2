// Lists the differences of two price cards, field by field.

import type { PriceCard } from '../../usage/price-card.ts';
import { unitPrices } from '../../usage/price-names.ts';

/** The quantities that an amount can pay for. */
export const cardUnits = [
  'million_tokens',
  'request',
  'call',
  'percent',
  'image',
  'million_pixels',
  'million_seconds',
  'million_characters',
] as const;
/** Null if the value is not an amount. */
export type CardUnit = (typeof cardUnits)[number] | null;

type CardValue = number | string;

export type CardDifference = Readonly<{
  /** Dotted, such as `service_tiers.flex.above_200000.input`. */
  field: string;
  per: CardUnit;
  /** Null if the card does not have the field. */
  old: CardValue | null;
  new: CardValue | null;
}>;

/** In the order of the fields of `after`, then those that only `before` has. */
export function cardDifferences(
  before: PriceCard | null,
  after: PriceCard | null,
): readonly CardDifference[] {
  const was = new Map(valuesIn(before));
  const is = new Map(valuesIn(after));
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((field) => {
    const values = { old: was.get(field) ?? null, new: is.get(field) ?? null };
    if (values.old === values.new) return [];
    return [{ field, per: unitOf(field, values.new ?? values.old), ...values }];
  });
}

/** The values of a card by their dotted names. A context tier is named by its threshold. */
function valuesIn(value: unknown, path: readonly string[] = []): readonly [string, CardValue][] {
  if (typeof value === 'number' || typeof value === 'string') return [[path.join('.'), value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (name === 'fallbacks') return [[name, fallbackText(member)]];
    if (name !== 'context_tiers' || !Array.isArray(member))
      return valuesIn(member, [...path, name]);
    return member.flatMap(({ above_tokens: above, ...prices }: { above_tokens: number }) => {
      const tier = [...path, `above_${above}`];
      const values = valuesIn(prices, tier);
      return values.length > 0 ? values : [[tier.join('.'), 'unpriced']];
    });
  });
}

const fallbackText = (fallbacks: unknown): string =>
  Object.entries(fallbacks ?? {})
    .map(([part, price]) => `${part} as ${price}`)
    .join(', ');

function unitOf(field: string, value: CardValue | null): CardUnit {
  if (typeof value !== 'number') return null;
  const unit = unitPrices.find(({ name }) => name === field);
  if (unit !== undefined) return unit.pays;
  if (field.startsWith('tool_calls.')) return 'call';
  return field.endsWith('.percent') ? 'percent' : 'million_tokens';
}
