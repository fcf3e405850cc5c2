// Decides commands on the budget of a principal (specification, "Limits and budget"). The amount
// spent is counted with the usage rows, not here.

import { snakeKeys } from '../../lib/case.ts';
import { streamOf } from '../../../events/catalogue.ts';
import { budgetSettings } from '../../../projections/config/principal.ts';
import type { Budget } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import { windowConflict } from '../../lib/budget-fields.ts';
import { windowOfUnit } from '../../lib/vocabulary.ts';
import type { BudgetCalendar, BudgetWindow } from '../../lib/vocabulary.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Decision } from '../decision.ts';
import { noPrincipal } from './principal.ts';

export type BudgetCommand =
  | Readonly<{
      type: 'SetBudget';
      id: PrincipalId;
      /** Replaces both caps; at least one must be set. */
      tokensTotal: number | null;
      costTotalMicros: number | null;
      /** Undefined keeps the current window; a new budget is then monthly. */
      window: BudgetWindow | undefined;
      /** Null means fixed windows. Undefined keeps a calendar that agrees with `window`. */
      calendar?: BudgetCalendar | null | undefined;
      /** Undefined keeps the current percentages. */
      alertAtPercent?: readonly number[] | null | undefined;
      /** Counts as spent when the budget is created; ignored later. */
      initialTokensUsed: number;
    }>
  | Readonly<{ type: 'ClearBudget'; id: PrincipalId }>;

export function decideBudget(state: ConfigState, command: BudgetCommand): Decision {
  const { id } = command;
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const stream = streamOf('principal', id);
  const held = principal.budget;
  switch (command.type) {
    case 'SetBudget': {
      const { tokensTotal, costTotalMicros } = command;
      if (tokensTotal === null && costTotalMicros === null) {
        const message =
          'tokens_total or cost_total_micros must be set; to remove the budget, use DELETE';
        return refuse('invalid', message, { param: 'tokens_total' });
      }
      const conflict = windowConflict(command);
      if (conflict !== null) return refuse('invalid', `window ${conflict}`, { param: 'window' });
      const goal = { tokensTotal, costTotalMicros, ...windowsOf(command, held) };
      if (held !== null && canonicalJson(budgetSettings(held)) === canonicalJson(goal)) return [];
      const initial = held === null ? command.initialTokensUsed : 0;
      const data = { id, ...snakeKeys(goal), initial_tokens_used: initial };
      return [{ stream, type: 'PrincipalBudgetSet', data }];
    }
    case 'ClearBudget':
      if (held === null) return refuse('absent', `principal ${id} has no budget`);
      return [{ stream, type: 'PrincipalBudgetCleared', data: { id } }];
  }
}

/** The budget that a file states. */
export type BudgetGoal = Omit<SetBudget, 'type' | 'id'>;

type SetBudget = Extract<BudgetCommand, { type: 'SetBudget' }>;

/** The window, calendar and alerts that the command asks for. Unset ones are absent. */
function windowsOf(
  { window: given, calendar: asked, alertAtPercent: alerts }: SetBudget,
  held: Budget | null,
): Pick<Budget, 'window' | 'calendar' | 'alertAtPercent'> {
  const isKept = asked === undefined && (given === undefined || given === held?.window);
  const calendar = (isKept ? held?.calendar : asked) ?? null;
  const percents = (alerts === undefined ? held?.alertAtPercent : alerts) ?? [];
  const window = calendar === null ? (given ?? held?.window) : windowOfUnit[calendar.unit];
  return {
    window: window ?? 'monthly',
    ...(calendar === null ? {} : { calendar }),
    ...(percents.length === 0 ? {} : { alertAtPercent: percents }),
  };
}
