// Warns about prices that are likely typing errors: far from other models, from the current price, or above any known price. It never
// refuses.

import { fieldLabel } from '../text/field-label.ts';
import { formatMoney } from '../text/format.ts';

const fields = ['input_price_per_mtok', 'output_price_per_mtok'] as const;

type Prices = Readonly<Partial<Record<(typeof fields)[number], unknown>>>;

/** A price that differs by this factor is suspicious. */
const factor = 100;
/** Fewer prices have no meaningful median. */
const comparedMin = 3;
/** $1,000 per million tokens is more than any provider charges. */
const plausibleMax = 1_000_000_000;

type Asked = Readonly<{ before: Prices; after: Prices; others: readonly Prices[] }>;

/** Micros per million tokens. Free and unpriced are not suspicious. */
export const priceWarnings = ({ before, after, others }: Asked): readonly string[] =>
  fields.flatMap((field) => {
    const price = after[field];
    if (!isPriced(price) || price === before[field]) return [];
    const known = others.map((one) => one[field]).filter(isPriced);
    const usual = known.length < comparedMin ? null : medianOf(known);
    const was = before[field];
    const reasons = [
      ...compared(price, usual, 'the median of your other models'),
      ...compared(price, isPriced(was) ? was : null, 'the current price'),
      ...(price > plausibleMax ? ['more than any provider is known to charge'] : []),
    ];
    if (reasons.length === 0) return [];
    const amount = `${formatMoney(price)} per million tokens`;
    return [`${fieldLabel(field)} ${amount} is ${reasons.join(', and ')}. Check the amount.`];
  });

const isPriced = (price: unknown): price is number => typeof price === 'number' && price > 0;

function compared(price: number, other: number | null, what: string): readonly string[] {
  if (other === null) return [];
  const ratio = price / other;
  if (ratio >= factor) return [`${rounded(ratio)} times ${what} (${formatMoney(other)})`];
  if (ratio <= 1 / factor) return [`1/${rounded(1 / ratio)} of ${what} (${formatMoney(other)})`];
  return [];
}

const rounded = (ratio: number): string => Math.round(ratio).toLocaleString('en');

/** At least one number is required. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
