// Defines the forms of rate limits and of a budget. An empty field means unlimited.

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
  { value: 'daily', label: 'Daily (every 24 hours)' },
  { value: 'weekly', label: 'Weekly (every 7 days)' },
  { value: 'monthly', label: 'Monthly (every 30 days)' },
];

const unlimited = 'Leave empty for unlimited';

const caps: readonly FormRow<LimitsDraft>[] = [
  { name: 'requests_per_min', label: fieldLabels.requests_per_min, hint: unlimited },
  { name: 'tokens_per_min', label: fieldLabels.tokens_per_min, hint: unlimited },
];

const spending: readonly FormRow<BudgetDraft>[] = [
  {
    name: 'window',
    label: fieldLabels.window,
    type: 'select',
    hint: 'The first window starts when the budget was created',
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

const kept = html`<p class="notice">Current usage and the start of the window are kept.</p>`;

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
