// Condition on the used share of the caller's budget.

import { amounts } from './asked.ts';
import { condition } from './condition.ts';
import { compileRange, rangePhrases } from './range.ts';

const fields = ['min_budget_used_percent', 'max_budget_used_percent'];

const written = (percent: number): string => `${percent} %`;

export const budgetUsed = condition({
  id: 'budget',
  label: 'Budget used',
  effort: 2,
  fields: {
    min_budget_used_percent: { type: 'percent', label: 'Budget used, min' },
    max_budget_used_percent: { type: 'percent', label: 'Budget used, max' },
  },
  bounds: ['min_budget_used_percent', 'max_budget_used_percent'],
  compile: ({ min_budget_used_percent: least, max_budget_used_percent: most }) => {
    const range = compileRange('budget_used_percent', { least, most }, amounts.budgetUsed);
    const key = JSON.stringify(['budget', least, most]);
    return range && { ...range, questions: [{ key, fields, answeredBy: 'budget' }] };
  },
  phrases: ({ min_budget_used_percent: least, max_budget_used_percent: most }) =>
    rangePhrases({ least, most }, (range) => `budget ${range} used`, written),
  matched: ({ budget_percent: percent }) => (percent === null ? 'no budget' : written(percent)),
});
