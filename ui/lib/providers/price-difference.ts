// Shows a price sync as a diff.

import type { AnswerOf } from '../../api/http/routes.ts';
import { formatMoney } from '../text/format.ts';

type Answered = AnswerOf<'POST', '/admin/prices/sync'>['changes'][number];
type CardChange = Answered['card_changes'][number];
type Change = Readonly<
  Pick<
    Answered,
    | 'model'
    | 'old_input_price_per_mtok'
    | 'old_output_price_per_mtok'
    | 'input_price_per_mtok'
    | 'output_price_per_mtok'
  >
> &
  Readonly<{ card_changes: readonly CardChange[] }>;
type Difference = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function priceDifference(
  changes: readonly Change[],
): Readonly<{ before: Difference; after: Difference }> {
  const before = changes.map((one) => [
    one.model,
    {
      input_price_per_mtok: one.old_input_price_per_mtok,
      output_price_per_mtok: one.old_output_price_per_mtok,
      ...cardFields(one, (change) => change.old),
    },
  ]);
  const after = changes.map((one) => [
    one.model,
    {
      input_price_per_mtok: one.input_price_per_mtok,
      output_price_per_mtok: one.output_price_per_mtok,
      ...cardFields(one, (change) => change.new),
    },
  ]);
  return { before: Object.fromEntries(before), after: Object.fromEntries(after) };
}

const cardFields = (
  { card_changes: changes }: Change,
  valueOf: (change: CardChange) => CardChange['old'],
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    changes.map((change) => [`price_card.${change.field}`, cardText(change, valueOf(change))]),
  );

function cardText({ per }: CardChange, value: CardChange['old']): string | null {
  if (typeof value !== 'number' || per === null) return value === null ? null : String(value);
  return per === 'percent' ? `${value} %` : `${formatMoney(value)} per ${per.replace('_', ' ')}`;
}
