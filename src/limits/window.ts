// Computes budget windows: consecutive windows of a fixed length from the creation of the budget (specification, "Budget
// windows"; states table, "Budget"), or calendar windows.

import type { BudgetCalendar, BudgetWindow } from '../lib/vocabulary.ts';
import { calendarEnd, calendarWindow } from './calendar.ts';
import type { WindowSpan } from './calendar.ts';

const dayMs = 24 * 60 * 60 * 1000;

const windowMs: Readonly<Record<BudgetWindow, number>> = {
  daily: dayMs,
  weekly: 7 * dayMs,
  monthly: 30 * dayMs,
};

type Windows = Readonly<{ window: BudgetWindow; calendar?: BudgetCalendar | undefined }>;

/** The current window. Without a calendar, windows are aligned to 1970-01-01 UTC. */
export function alignedWindow({ window, calendar }: Windows, nowMs: number): WindowSpan {
  if (calendar !== undefined) return calendarWindow(calendar, nowMs);
  const startMs = nowMs - (nowMs % windowMs[window]);
  return { startMs, endMs: windowEnd(startMs, window) };
}

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

/** A window that has begun. `endMs` is stored for calendar windows only. */
type Begun = Readonly<{ startMs: number; endMs: number | null }>;

/** The end of a window that has begun, in epoch milliseconds. */
export function begunWindowEnd({ window, calendar }: Windows, { startMs, endMs }: Begun): number {
  if (calendar === undefined) return windowEnd(startMs, window);
  return endMs ?? calendarEnd(calendar, startMs);
}

/**
 * The window that follows once this one is over, otherwise null. Fixed windows advance by one.
 * Calendar windows continue with the one that contains `nowMs`.
 */
export function nextWindow(windows: Windows, begun: Begun, nowMs: number): Begun | null {
  if (windows.calendar === undefined) {
    const startMs = nextWindowStart(begun.startMs, windows.window, nowMs);
    return startMs === null ? null : { startMs, endMs: null };
  }
  return nowMs < begunWindowEnd(windows, begun) ? null : calendarWindow(windows.calendar, nowMs);
}
