// Creates and deletes the counters of budgets for the events of a command. Changing a budget keeps
// its counter and the start of its window; calendar windows end at the next boundary.

import type { RecordedEvent } from '../../../events/catalogue.ts';
import { beginBudgets, endBudgets, holdBudgets } from '../../db/usage/budget-usage.ts';
import type { BudgetStart } from '../../db/usage/budget-usage.ts';
import type { Database } from '../../db/pool.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { calendarEnd } from '../../limits/calendar.ts';

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

/** Runs in the transaction of the command, so a counter exists exactly as long as its budget. */
export async function keepBudgetRows(
  tx: Transaction,
  events: readonly RecordedEvent[],
): Promise<void> {
  const ended = new Set<PrincipalId>();
  const begun = new Map<PrincipalId, BudgetStart>();
  for (const event of events) {
    if (event.type === 'PrincipalBudgetCleared') {
      ended.add(event.data.id);
      begun.delete(event.data.id);
    } else if (event.type === 'PrincipalBudgetSet') {
      const { id: principalId, initial_tokens_used: initialTokensUsed, calendar } = event.data;
      const windowStart = new Date(event.recordedAt);
      const first = begun.get(principalId) ?? { principalId, windowStart, initialTokensUsed };
      const windowEnd =
        calendar === undefined ? null : new Date(calendarEnd(calendar, event.recordedAt));
      begun.set(principalId, { ...first, windowEnd });
    }
  }
  if (ended.size > 0) await holdBudgets(tx, [...ended, ...begun.keys()]);
  if (ended.size > 0) await endBudgets(tx, [...ended]);
  if (begun.size > 0) await beginBudgets(tx, [...begun.values()]);
}
