// The forms of rate limits and of a budget. Both are replaced as a whole: an empty field is no cap, which is sent as null.

import { readCount, readMoney, writeMoney } from './budget.ts';
import { wrong, written } from '../saves/draft.ts';
import type { Read, Wrong } from '../saves/draft.ts';

export type LimitsDraft = Readonly<{ requests_per_min: string; tokens_per_min: string }>;
export type BudgetDraft = Readonly<{
  window: string;
  tokens_total: string;
  cost_total_micros: string;
}>;

type Limits = Readonly<{ requests_per_min: number | null; tokens_per_min: number | null }>;
type Window = 'daily' | 'weekly' | 'monthly';
type Budget = Readonly<{
  window: Window;
  tokens_total: number | null;
  cost_total_micros: number | null;
}>;

export const fromLimits = (limits: Limits | null): LimitsDraft => ({
  requests_per_min: written(limits?.requests_per_min ?? null),
  tokens_per_min: written(limits?.tokens_per_min ?? null),
});

export const fromBudget = (budget: Budget | null): BudgetDraft => ({
  window: budget?.window ?? 'monthly',
  tokens_total: written(budget?.tokens_total ?? null),
  cost_total_micros: writeMoney(budget?.cost_total_micros ?? null),
});

const notCount = (field: string): Wrong =>
  wrong(field, 'must be a whole number above zero, or empty for unlimited');

export function limitsBody(draft: LimitsDraft): Read<Limits> {
  const requests = readCount(draft.requests_per_min);
  if (requests === undefined) return notCount('requests_per_min');
  const tokens = readCount(draft.tokens_per_min);
  if (tokens === undefined) return notCount('tokens_per_min');
  return { body: { requests_per_min: requests, tokens_per_min: tokens } };
}

const windows: readonly Window[] = ['daily', 'weekly', 'monthly'];

export function budgetBody(draft: BudgetDraft): Read<Budget> {
  const tokens = readCount(draft.tokens_total);
  if (tokens === undefined) return notCount('tokens_total');
  const money = readMoney(draft.cost_total_micros);
  if (money === undefined) {
    const message = 'must be an amount in US dollars such as 250 or 12.50, or empty for unlimited';
    return wrong('cost_total_micros', message);
  }
  const window = windows.find((one) => one === draft.window) ?? 'monthly';
  return { body: { window, tokens_total: tokens, cost_total_micros: money } };
}
