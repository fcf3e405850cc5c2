// The forms of rate limits and of a budget: each cap a field, where empty is unlimited.

import { html } from 'lit';

import { fieldLabels } from '../../lib/text/field-label.ts';
import { budgetForm, limitsForm } from '../../lib/access/limits-draft.ts';
import type { BudgetDraft, LimitsDraft } from '../../lib/access/limits-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
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

class GwLimitsForm extends RecordForm<Capped, LimitsDraft> {
  protected override draftOf({ limits }: Capped): LimitsDraft {
    return limits === null ? limitsForm.blank : limitsForm.write(limits);
  }

  protected override saveOf(draft: LimitsDraft, capped: Capped) {
    return whenRead(limitsForm.read(draft), (body) => limitsOf(capped, body));
  }

  protected override fields(): readonly FormRow<LimitsDraft>[] {
    return caps;
  }
}

class GwBudgetForm extends RecordForm<Capped, BudgetDraft> {
  protected override draftOf({ budget }: Capped): BudgetDraft {
    return budget === null ? { ...budgetForm.blank, window: 'monthly' } : budgetForm.write(budget);
  }

  protected override saveOf(draft: BudgetDraft, capped: Capped) {
    return whenRead(budgetForm.read(draft), (body) => budgetOf(capped, body));
  }

  protected override fields(_: BudgetDraft, { budget }: Capped): readonly FormRow<BudgetDraft>[] {
    return budget === null ? spending : [...spending, kept];
  }
}

customElements.define('gw-limits-form', GwLimitsForm);
customElements.define('gw-budget-form', GwBudgetForm);
