// Decides commands on the budget of a principal (specification, "Limits and budget"). The amount
// spent is counted with the usage rows, not here.

import { streamOf } from '../../../events/catalogue.ts';
import type { Budget } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { BudgetWindow } from '../../lib/vocabulary.ts';
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
      const window = command.window ?? held?.window ?? 'monthly';
      if (isSame(held, { tokensTotal, costTotalMicros, window })) return [];
      const data = {
        id,
        tokens_total: tokensTotal,
        cost_total_micros: costTotalMicros,
        window,
        initial_tokens_used: held === null ? command.initialTokensUsed : 0,
      };
      return [{ stream, type: 'PrincipalBudgetSet', data }];
    }
    case 'ClearBudget':
      if (held === null) return refuse('absent', `principal ${id} has no budget`);
      return [{ stream, type: 'PrincipalBudgetCleared', data: { id } }];
  }
}

const isSame = (held: Budget | null, given: Budget): boolean =>
  held !== null &&
  held.tokensTotal === given.tokensTotal &&
  held.costTotalMicros === given.costTotalMicros &&
  held.window === given.window;
