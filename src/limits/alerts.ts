// Decides which alerts of a budget are due: one for each percentage of a cap that its spending
// reached and that was not alerted in this window.

import { percentOf } from '../snapshot/spend.ts';
import type { Caps, Spent } from '../snapshot/spend.ts';

/** The cap itself always causes an alert. */
const reachedPercent = 100;

/** The highest percentages alerted in this window; 0 for none. */
export type Alerted = Readonly<{ tokens: number; money: number }>;

/** `spent` and `cap` are tokens, or micro-units of money. */
export type DueAlert = Readonly<{
  kind: keyof Alerted;
  percent: number;
  spent: number;
  cap: number;
}>;

type Reading = Readonly<{ caps: Caps; spent: Spent; alerted: Alerted }>;

/** `percents` are ascending. Tokens before money, lower percentages first. */
export function dueAlerts(
  percents: readonly number[],
  { caps, spent, alerted }: Reading,
): readonly DueAlert[] {
  const all = percents.includes(reachedPercent) ? percents : [...percents, reachedPercent];
  const due = (kind: keyof Alerted, used: number, cap: number | null): readonly DueAlert[] =>
    cap === null
      ? []
      : all
          .filter((percent) => percent > alerted[kind] && percent <= percentOf(used, cap))
          .map((percent) => ({ kind, percent, spent: used, cap }));
  return [
    ...due('tokens', spent.tokens_used, caps.tokens_total),
    ...due('money', spent.cost_used_micros, caps.cost_total_micros),
  ];
}
