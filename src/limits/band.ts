// Decides when the control plane reports increased spending to proxies. Each report makes every proxy fetch a snapshot, so
// not every batch is reported. Spending is divided into bands and reported when it enters another one. Bands end at every
// value where a decision can change: at the caps, and at the percentages that rules use.

import { percentSpent, reachedCap } from '../snapshot/spend.ts';
import type { Caps, Spent } from '../snapshot/spend.ts';
import type { SnapshotFrontendModel } from '../snapshot/schema.ts';

/** Every 5 percent of a budget, and every percent of the last 10. */
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
      // The maximum of a rule is inclusive, so the rule stops matching one percent above it.
      return [min ?? [], max === null ? [] : max + 1].flat();
    }),
  );
  return [...new Set([...marksAlways, ...asked])].toSorted((a, b) => a - b);
}

/** True when proxies that know `reported` need `spent`. Null means that nothing was reported yet. */
export function mustReport(
  caps: Caps,
  reported: Spent | null,
  spent: Spent,
  marks: Marks,
): boolean {
  if (reported === null) return true;
  // A lower value means that the next window has begun.
  if (spent.tokens_used < reported.tokens_used) return true;
  if (spent.cost_used_micros < reported.cost_used_micros) return true;
  return (
    reachedCap(caps, reported)?.cap !== reachedCap(caps, spent)?.cap ||
    bandOf(percentSpent(caps, reported), marks) !== bandOf(percentSpent(caps, spent), marks)
  );
}

const bandOf = (percent: number, marks: Marks): number =>
  marks.filter((mark) => mark <= percent).length;
