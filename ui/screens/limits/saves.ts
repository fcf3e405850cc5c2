// Builds the saves for the limits of a principal. A missing limit is shown as "unlimited".

import { calling } from '../../api/http/call.ts';
import { budgetBody, budgetValues, isCalendar } from '../../lib/access/limits-draft.ts';
import type { BudgetValues, limitsForm } from '../../lib/access/limits-draft.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { Capped } from './load.ts';

type BodyOf<Read> = Extract<Read, { body: unknown }>['body'];
type LimitsBody = BodyOf<ReturnType<typeof limitsForm.read>>;

/** Null means unlimited. */
const shownLimits = (limits: LimitsBody | null) => ({
  requests_per_min: limits?.requests_per_min ?? null,
  tokens_per_min: limits?.tokens_per_min ?? null,
});

const shownBudget = (budget: BudgetValues | null) => ({
  window: budget?.window ?? null,
  time_zone: budget !== null && isCalendar(budget.window) ? budget.time_zone : null,
  tokens_total: budget?.tokens_total ?? null,
  cost_total_micros: budget?.cost_total_micros ?? null,
  alert_at_percent: budget?.alert_at_percent.length ? budget.alert_at_percent.join(', ') : null,
});

const valuesOf = (budget: Capped['budget']): BudgetValues | null =>
  budget === null ? null : budgetValues(budget, '');

const fromThenOn = 'Takes effect with the next request.';

export const limitsOf = ({ id, name, version, limits }: Capped, body: LimitsBody): Save => ({
  heading: `Set rate limits of ${name}`,
  verb: 'Save limits',
  done: `Rate limits of ${name} updated`,
  about: fromThenOn,
  before: shownLimits(limits),
  after: shownLimits(body),
  run: calling('PUT', '/admin/principals/{id}/limits', { params: { id }, body, version }),
});

export const budgetOf = ({ id, name, version, budget }: Capped, values: BudgetValues): Save => ({
  heading: `Set budget of ${name}`,
  verb: 'Save budget',
  done: `Budget of ${name} updated`,
  about: fromThenOn,
  before: shownBudget(valuesOf(budget)),
  after: shownBudget(values),
  run: calling('PUT', '/admin/principals/{id}/budget', {
    params: { id },
    body: budgetBody(values),
    version,
  }),
});

export const limitsRemovalOf = ({ id, name, version, limits }: Capped): Save => ({
  heading: `Delete rate limits of ${name}`,
  verb: 'Delete rate limits',
  done: `Rate limits of ${name} deleted`,
  about: 'The principal can then send requests without rate limits.',
  before: shownLimits(limits),
  after: shownLimits(null),
  danger: true,
  name,
  run: calling('DELETE', '/admin/principals/{id}/limits', { params: { id }, version }),
});

export const budgetRemovalOf = ({ id, name, version, budget }: Capped): Save => ({
  heading: `Delete budget of ${name}`,
  verb: 'Delete budget',
  done: `Budget of ${name} deleted`,
  about: 'The principal can then spend without a limit. The usage of the budget is discarded.',
  before: shownBudget(valuesOf(budget)),
  after: shownBudget(null),
  danger: true,
  name,
  run: calling('DELETE', '/admin/principals/{id}/budget', { params: { id }, version }),
});
