// The windows of budgets: fixed lengths, one after the other, from the moment the budget was made (specification, "Budget
// windows"; states table, "Budget").

import type { BudgetWindow } from '../lib/vocabulary.ts';

const dayMs = 24 * 60 * 60 * 1000;

const windowMs: Readonly<Record<BudgetWindow, number>> = {
  daily: dayMs,
  weekly: 7 * dayMs,
  monthly: 30 * dayMs,
};

/** The start of the window that this moment is in, where windows are counted from 1970-01-01 UTC. */
export const alignedWindowStart = (window: BudgetWindow, nowMs: number): number =>
  nowMs - (nowMs % windowMs[window]);

/** When the window that began then ends and the next begins. Epoch milliseconds. */
export const windowEnd = (startMs: number, window: BudgetWindow): number =>
  startMs + windowMs[window];

/** The start of the next window, once this one is over; else null. Exactly one window on, even when several have gone by. */
export function nextWindowStart(
  startMs: number,
  window: BudgetWindow,
  nowMs: number,
): number | null {
  const end = windowEnd(startMs, window);
  return nowMs >= end ? end : null;
}
