// Prints the report of a comparison of a bill with the ledger.

import { counted } from '../../lib/text.ts';
import type { ReportFacts, StoredDifference } from '../../control/usage/reconcile-bill.ts';

const money = (micros: number | null, currency: string): string =>
  micros === null ? 'nothing' : `${(micros / 1_000_000).toFixed(6)} ${currency}`;

export const summaryLines = ({
  id,
  facts,
}: Readonly<{ id: string; facts: ReportFacts }>): readonly string[] => [
  `report ${id}: ${facts.first_day} to ${facts.last_day}, ${counted(facts.lines, 'line')} ` +
    `as ${facts.format}, ${facts.skipped_lines} skipped`,
  ...facts.totals.map(
    ({ currency, bill_micros: bill, ledger_micros: ledger, difference_micros: difference }) =>
      `bill ${money(bill, currency)}, ledger ${money(ledger, currency)}, difference ${money(difference, currency)}`,
  ),
  `${facts.matches} agree, ${facts.difference_count} differ`,
];

const kinds = {
  only_in_bill: 'only in the bill',
  only_in_ledger: 'only in the ledger',
  unpriced: 'no price in the ledger',
  differs: 'differs',
} as const satisfies Record<StoredDifference['kind'], string>;

export function differenceLine(one: StoredDifference): string {
  const { currency } = one;
  const amounts = `bill ${money(one.bill_micros, currency)}, ledger ${money(one.ledger_micros, currency)}`;
  const percent = one.percent === null ? '' : ` (${one.percent} %)`;
  return `${one.period}  ${one.model ?? 'no model'}  ${kinds[one.kind]}: ${amounts}${percent}`;
}
