// Removes temporary increases of budgets at their end. Every control plane checks; the lock of the
// log ensures that each is removed once. Proxies know the end and do not wait for this.

import type { ControlPlane } from '../plane.ts';
import { endedIncreases } from '../../deciders/callers/budget-increase.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'store' | 'execute'>;
  clock: Clock;
  newId: () => string;
}>;

/** Throws if the database is unavailable. The next call tries again. */
export async function endBudgetIncreases({ plane, clock, newId }: Dependencies): Promise<void> {
  const now = clock();
  const principals = [...plane.store.state().principal.byId.values()];
  if (!principals.some(({ budget }) => endedIncreases(budget, now).length > 0)) return;
  const ended = await plane.execute(
    { command: { type: 'EndBudgetIncreases', now } },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'SCHEDULE',
      target: '/admin/budgets',
      requestId: newId(),
      reason: null,
    },
  );
  if (isRefusal(ended)) throw new Error(`ending increases of budgets: ${ended.message}`);
}
