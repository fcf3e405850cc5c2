// Sends notifications when spending reaches percentages of a budget. It decides in the transaction
// that counts the spending, so each is sent once per window, by one control plane.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { setAlerted } from '../../db/usage/budget-alerts.ts';
import type { CountedSpend } from '../../db/usage/budget-usage.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { dueAlerts } from '../../limits/alerts.ts';
import type { DueAlert } from '../../limits/alerts.ts';
import { begunWindowEnd } from '../../limits/window.ts';
import type { NotificationOf } from '../../notifications/types.ts';
import type { NotifyIn } from '../webhooks/notify.ts';
import { capsAt } from './budget-caps.ts';

type Counted = Readonly<{ budgets: readonly CountedSpend[]; state: ConfigState; now: number }>;

/** The budgets must be locked by the transaction. */
export async function alertBudgets(
  tx: Queryable,
  { budgets, state, now }: Counted,
  notifyIn: NotifyIn,
): Promise<void> {
  const due = budgets.flatMap((spent) => alertsOf(spent, state, now));
  if (due.length === 0) return;
  await setAlerted(
    tx,
    due.map(({ alerted }) => alerted),
  );
  await notifyIn(
    tx,
    due.flatMap(({ notifications }) => notifications),
  );
}

function alertsOf(spent: CountedSpend, state: ConfigState, now: number) {
  const principal = state.principal.byId.get(spent.principal_id);
  const budget = principal?.budget ?? null;
  if (principal === undefined || budget === null) return [];
  const alerted = { tokens: spent.alerted_tokens_percent, money: spent.alerted_cost_percent };
  const caps = capsAt(budget, now);
  const due = dueAlerts(budget.alertAtPercent ?? [], { caps, spent, alerted });
  if (due.length === 0) return [];
  const highest = (kind: DueAlert['kind']): number =>
    Math.max(alerted[kind], ...due.filter((one) => one.kind === kind).map((one) => one.percent));
  const begun = {
    startMs: spent.window_start.getTime(),
    endMs: spent.window_end?.getTime() ?? null,
  };
  const about = {
    principal_id: spent.principal_id,
    // The name of a person is in the vault and stays there.
    principal: principal.name.text,
    window_start: toRfc3339(begun.startMs),
    window_end: toRfc3339(begunWindowEnd(budget, begun)),
  };
  return [
    {
      alerted: {
        principalId: spent.principal_id,
        tokensPercent: highest('tokens'),
        costPercent: highest('money'),
      },
      notifications: due.map((one): NotificationOf<'budget_threshold'> => ({
        type: 'budget_threshold',
        data: { ...about, ...one },
        at: now,
      })),
    },
  ];
}
