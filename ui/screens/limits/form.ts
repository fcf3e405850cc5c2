// The forms of rate limits and of a budget: each cap a field, where empty is unlimited.

import { html, nothing } from 'lit';

import { budgetBody, fromBudget, fromLimits, limitsBody } from '../../lib/limits-draft.ts';
import type { BudgetDraft, LimitsDraft } from '../../lib/limits-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { Capped } from './load.ts';
import { budgetOf, limitsOf } from './saves.ts';

const windows = [
  { value: 'daily', label: 'Daily: 24 hours at a time' },
  { value: 'weekly', label: 'Weekly: 7 days at a time' },
  { value: 'monthly', label: 'Monthly: 30 days at a time' },
];

const unlimited = 'Empty is unlimited';

export class GwLimitsForm extends RecordForm<Capped, LimitsDraft> {
  protected override draftOf({ limits }: Capped): LimitsDraft {
    return fromLimits(limits);
  }

  protected override saveOf(draft: LimitsDraft, capped: Capped) {
    const read = limitsBody(draft);
    return 'wrong' in read ? read : limitsOf(capped, read.body);
  }

  protected override fields({ requests_per_min, tokens_per_min }: LimitsDraft) {
    return html`<gw-field
        name="requests_per_min"
        label="Requests a minute"
        hint=${unlimited}
        .value=${requests_per_min}
      ></gw-field>
      <gw-field
        name="tokens_per_min"
        label="Tokens a minute"
        hint=${unlimited}
        .value=${tokens_per_min}
      ></gw-field>`;
  }
}

export class GwBudgetForm extends RecordForm<Capped, BudgetDraft> {
  protected override draftOf({ budget }: Capped): BudgetDraft {
    return fromBudget(budget);
  }

  protected override saveOf(draft: BudgetDraft, capped: Capped) {
    const read = budgetBody(draft);
    return 'wrong' in read ? read : budgetOf(capped, read.body);
  }

  protected override fields(draft: BudgetDraft, { budget }: Capped) {
    return html`<gw-field
        name="window"
        label="Window"
        type="select"
        hint="One after the other, from the moment the budget was made"
        required
        .choices=${windows}
        .value=${draft.window}
      ></gw-field>
      <gw-field
        name="cost_total_micros"
        label="Money, in US dollars"
        hint=${unlimited}
        .value=${draft.cost_total_micros}
      ></gw-field>
      <gw-field
        name="tokens_total"
        label="Tokens"
        hint=${unlimited}
        .value=${draft.tokens_total}
      ></gw-field>
      ${
        budget === null
          ? nothing
          : html`<p class="notice">
              What is spent, and the start of the window, stay as they are.
            </p>`
      }`;
  }
}

customElements.define('gw-limits-form', GwLimitsForm);
customElements.define('gw-budget-form', GwBudgetForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-limits-form': GwLimitsForm;
    'gw-budget-form': GwBudgetForm;
  }
}
