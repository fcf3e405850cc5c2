// The forms of rate limits and of a budget: each cap a field, where empty is unlimited.

import { html } from 'lit';

import { fieldLabels } from '../../lib/text/field-label.ts';
import { budgetForm, limitsForm } from '../../lib/access/limits-draft.ts';
import type { BudgetDraft, LimitsDraft } from '../../lib/access/limits-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { Capped } from './load.ts';
import { budgetOf, limitsOf } from './saves.ts';

const windows = [
  { value: 'daily', label: 'Daily: 24 hours at a time' },
  { value: 'weekly', label: 'Weekly: 7 days at a time' },
  { value: 'monthly', label: 'Monthly: 30 days at a time' },
];

const unlimited = 'Empty is unlimited';

const caps: readonly FormRow<LimitsDraft>[] = [
  { name: 'requests_per_min', label: fieldLabels.requests_per_min, hint: unlimited },
  { name: 'tokens_per_min', label: fieldLabels.tokens_per_min, hint: unlimited },
];

const spending: readonly FormRow<BudgetDraft>[] = [
  {
    name: 'window',
    label: fieldLabels.window,
    type: 'select',
    hint: 'One after the other, from the moment the budget was made',
    required: true,
    choices: windows,
  },
  {
    name: 'cost_total_micros',
    label: `${fieldLabels.cost_total_micros}, in US dollars`,
    hint: unlimited,
  },
  { name: 'tokens_total', label: fieldLabels.tokens_total, hint: unlimited },
];

const kept = html`<p class="notice">
  What is spent, and the start of the window, stay as they are.
</p>`;

export const limitsFormOf = (capped: Capped) =>
  recordForm({
    draft: capped.limits === null ? limitsForm.blank : limitsForm.write(capped.limits),
    fields: () => caps,
    save: (draft) => whenRead(limitsForm.read(draft), (body) => limitsOf(capped, body)),
  });

export const budgetFormOf = (capped: Capped) =>
  recordForm({
    draft:
      capped.budget === null
        ? { ...budgetForm.blank, window: 'monthly' }
        : budgetForm.write(capped.budget),
    fields: () => (capped.budget === null ? spending : [...spending, kept]),
    save: (draft) => whenRead(budgetForm.read(draft), (body) => budgetOf(capped, body)),
  });
