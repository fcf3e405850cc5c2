// Decides commands on temporary increases of a budget. They add to its caps between two times and
// end by themselves.

import { streamOf } from '../../../events/catalogue.ts';
import type { Budget } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { increaseDaysMax, increasesMax } from '../../lib/budget-fields.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';
import { refuseTooMany } from '../part-list.ts';
import { noPrincipal } from './principal.ts';

/** Times are RFC 3339. `now` is epoch milliseconds. */
export type BudgetIncreaseCommand =
  | Readonly<{
      type: 'IncreaseBudget';
      id: PrincipalId;
      /** At least one must be set, for a cap that the budget has. */
      tokens: number | null;
      costMicros: number | null;
      reasonRef: string;
      startsAt: string;
      endsAt: string;
      now: number;
    }>
  | Readonly<{ type: 'RemoveBudgetIncrease'; id: PrincipalId; increaseId: number }>
  /** Removes the increases of all budgets that ended before `now`. */
  | Readonly<{ type: 'EndBudgetIncreases'; now: number }>;

export function decideBudgetIncrease(state: ConfigState, command: BudgetIncreaseCommand): Decision {
  if (command.type === 'EndBudgetIncreases') return endedBefore(state, command.now);
  const { id } = command;
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const { budget } = principal;
  if (budget === null) return refuse('absent', `principal ${id} has no budget`);
  const stream = streamOf('principal', id);
  const { increases = [] } = budget;
  if (command.type === 'RemoveBudgetIncrease') {
    const { increaseId } = command;
    if (!increases.some((one) => one.id === increaseId)) {
      return refuse('absent', `the budget of principal ${id} has no increase ${increaseId}`);
    }
    const data = { id, increase_id: increaseId };
    return [{ stream, type: 'PrincipalBudgetIncreaseEnded', data }];
  }
  const { tokens, costMicros, reasonRef, startsAt, endsAt } = command;
  const refusal = refuseAmounts(budget, command) ?? refuseTimes(command);
  if (refusal !== null) return refusal;
  const tooMany = refuseTooMany('increases', increases.length + 1, increasesMax);
  if (tooMany !== null) return tooMany;
  const data = {
    id,
    increase_id: (budget.lastIncreaseId ?? 0) + 1,
    tokens,
    cost_micros: costMicros,
    reason_ref: reasonRef,
    starts_at: startsAt,
    ends_at: endsAt,
  };
  return [{ stream, type: 'PrincipalBudgetIncreased', data }];
}

type Increase = Extract<BudgetIncreaseCommand, { type: 'IncreaseBudget' }>;

function refuseAmounts(
  { tokensTotal, costTotalMicros }: Budget,
  { tokens, costMicros }: Increase,
): Refusal | null {
  if (tokens === null && costMicros === null) {
    return refuse('invalid', 'tokens or cost_micros must be set', { param: 'tokens' });
  }
  if (tokens !== null && tokensTotal === null) {
    const message = 'tokens must be absent: the budget has no tokens_total to increase';
    return refuse('invalid', message, { param: 'tokens' });
  }
  if (costMicros !== null && costTotalMicros === null) {
    const message = 'cost_micros must be absent: the budget has no cost_total_micros to increase';
    return refuse('invalid', message, { param: 'cost_micros' });
  }
  return null;
}

const dayMs = 24 * 60 * 60 * 1000;

function refuseTimes({ startsAt, endsAt, now }: Increase): Refusal | null {
  const param = 'ends_at';
  const [startMs, endMs] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (endMs <= now) return refuse('invalid', `ends_at ${endsAt} is in the past`, { param });
  if (endMs <= startMs) {
    return refuse('invalid', `ends_at ${endsAt} must be after starts_at ${startsAt}`, { param });
  }
  const latest = Math.max(startMs, now) + increaseDaysMax * dayMs;
  if (endMs <= latest) return null;
  const message = `ends_at ${endsAt} is too late; the latest is ${toRfc3339(latest)}`;
  return refuse('invalid', message, { param });
}

const endedBefore = (state: ConfigState, now: number): Decision =>
  [...state.principal.byId.values()].flatMap(({ id, budget }) =>
    endedIncreases(budget, now).map(({ id: increaseId }) => ({
      stream: streamOf('principal', id),
      type: 'PrincipalBudgetIncreaseEnded' as const,
      data: { id, increase_id: increaseId },
    })),
  );

/** The increases whose end has passed and that are still part of the budget. */
export const endedIncreases = (budget: Budget | null, now: number) =>
  (budget?.increases ?? []).filter(({ endsAt }) => Date.parse(endsAt) <= now);
