// Creates and deletes the counters of budgets for the events of a command. Changing a budget keeps
// its counter.

import type { RecordedEvent } from '../../../events/catalogue.ts';
import { beginBudgets, endBudgets } from '../../db/usage/budget-usage.ts';
import type { BudgetStart } from '../../db/usage/budget-usage.ts';
import type { Database } from '../../db/pool.ts';
import type { PrincipalId } from '../../lib/ids.ts';

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
    } else if (event.type === 'PrincipalBudgetSet' && !begun.has(event.data.id)) {
      const { id: principalId, initial_tokens_used: initialTokensUsed } = event.data;
      const windowStart = new Date(event.recordedAt);
      begun.set(principalId, { principalId, windowStart, initialTokensUsed });
    }
  }
  if (ended.size > 0) await endBudgets(tx, [...ended]);
  if (begun.size > 0) await beginBudgets(tx, [...begun.values()]);
}
