// What can be done to the caps of a principal, each as a save. No cap is "unlimited" in words.

import { calling } from '../../api/http/call.ts';
import type { budgetForm, limitsForm } from '../../lib/access/limits-draft.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { Capped } from './load.ts';

type BodyOf<Read> = Extract<Read, { body: unknown }>['body'];
type LimitsBody = BodyOf<ReturnType<typeof limitsForm.read>>;
type BudgetBody = BodyOf<ReturnType<typeof budgetForm.read>>;

/** Without limits each is null, which is unlimited. */
const shownLimits = (limits: LimitsBody | null) => ({
  requests_per_min: limits?.requests_per_min ?? null,
  tokens_per_min: limits?.tokens_per_min ?? null,
});

const shownBudget = (budget: BudgetBody | null) => ({
  window: budget?.window ?? null,
  tokens_total: budget?.tokens_total ?? null,
  cost_total_micros: budget?.cost_total_micros ?? null,
});

const fromThenOn = 'It holds from the next request on.';

export const limitsOf = ({ id, name, version, limits }: Capped, body: LimitsBody): Save => ({
  heading: `Rate limits of ${name}`,
  verb: 'Save limits',
  done: `Rate limits of ${name} set`,
  about: fromThenOn,
  before: shownLimits(limits),
  after: shownLimits(body),
  run: calling('PUT', '/admin/principals/{id}/limits', { params: { id }, body, version }),
});

export const budgetOf = ({ id, name, version, budget }: Capped, body: BudgetBody): Save => ({
  heading: `Budget of ${name}`,
  verb: 'Save budget',
  done: `Budget of ${name} set`,
  about: fromThenOn,
  before: shownBudget(budget),
  after: shownBudget(body),
  run: calling('PUT', '/admin/principals/{id}/budget', { params: { id }, body, version }),
});

export const limitsRemovalOf = ({ id, name, version, limits }: Capped): Save => ({
  heading: `Remove the rate limits of ${name}`,
  verb: 'Make unlimited',
  done: `${name} has no rate limits`,
  about: 'It may send as fast as it can from then on.',
  before: shownLimits(limits),
  after: shownLimits(null),
  danger: true,
  name,
  run: calling('DELETE', '/admin/principals/{id}/limits', { params: { id }, version }),
});

export const budgetRemovalOf = ({ id, name, version, budget }: Capped): Save => ({
  heading: `Remove the budget of ${name}`,
  verb: 'Make unlimited',
  done: `${name} has no budget`,
  about:
    'It may spend without a cap from then on, and what it has spent of the budget is forgotten.',
  before: shownBudget(budget),
  after: shownBudget(null),
  danger: true,
  name,
  run: calling('DELETE', '/admin/principals/{id}/budget', { params: { id }, version }),
});
