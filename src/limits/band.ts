// When proxies are told that a budget was spent further. Not with every batch: a proxy judges a budget by what is left of it, and
// each telling costs every proxy a fetch. So spending is cut into bands, and told when it leaves one. The bands end wherever a
// decision may change: at the caps, and at the percentages that rules ask for.

import { percentSpent, reachedCap } from '../snapshot/spend.ts';
import type { Caps, Spent } from '../snapshot/spend.ts';
import type { SnapshotFrontendModel } from '../snapshot/schema.ts';

/** Every twentieth of a budget, and every hundredth of its last tenth. */
const marksAlways: readonly number[] = [
  ...Array.from({ length: 18 }, (_, index) => (index + 1) * 5),
  ...Array.from({ length: 10 }, (_, index) => index + 91),
];

/** The percentages at which a band begins, ascending. */
export type Marks = readonly number[];

export function marksOf(frontendModels: readonly SnapshotFrontendModel[]): Marks {
  const asked = frontendModels.flatMap(({ rules }) =>
    rules.flatMap(({ conditions }) => {
      const { min_budget_used_percent: min, max_budget_used_percent: max } = conditions;
      // A rule's most is inclusive: it stops matching one percent later.
      return [min ?? [], max === null ? [] : max + 1].flat();
    }),
  );
  return [...new Set([...marksAlways, ...asked])].toSorted((a, b) => a - b);
}

/** Whether a proxy that knows `told` must be told of `spent`: null was never told. */
export function mustReport(
  caps: Caps,
  reported: Spent | null,
  spent: Spent,
  marks: Marks,
): boolean {
  if (reported === null) return true;
  // The next window has begun: what is left is the whole of it.
  if (spent.tokens_used < reported.tokens_used) return true;
  if (spent.cost_used_micros < reported.cost_used_micros) return true;
  return (
    reachedCap(caps, reported)?.cap !== reachedCap(caps, spent)?.cap ||
    bandOf(percentSpent(caps, reported), marks) !== bandOf(percentSpent(caps, spent), marks)
  );
}

const bandOf = (percent: number, marks: Marks): number =>
  marks.filter((mark) => mark <= percent).length;
