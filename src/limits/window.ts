// Computes budget windows: consecutive windows of a fixed length from the creation of the budget (specification, "Budget
// windows"; states table, "Budget").

import type { BudgetWindow } from '../lib/vocabulary.ts';

const dayMs = 24 * 60 * 60 * 1000;

const windowMs: Readonly<Record<BudgetWindow, number>> = {
  daily: dayMs,
  weekly: 7 * dayMs,
  monthly: 30 * dayMs,
};

/** The start of the current window, for windows that are aligned to 1970-01-01 UTC. Epoch milliseconds. */
export const alignedWindowStart = (window: BudgetWindow, nowMs: number): number =>
  nowMs - (nowMs % windowMs[window]);

/** Epoch milliseconds. */
export const windowEnd = (startMs: number, window: BudgetWindow): number =>
  startMs + windowMs[window];

/** Null while this window lasts. Advances one window only, even when several have passed. */
export function nextWindowStart(
  startMs: number,
  window: BudgetWindow,
  nowMs: number,
): number | null {
  const end = windowEnd(startMs, window);
  return nowMs >= end ? end : null;
}
