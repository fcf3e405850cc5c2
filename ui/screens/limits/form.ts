// Defines the forms of rate limits and of a budget. An empty field means unlimited.

import { html } from 'lit';

import { fieldLabels } from '../../lib/text/field-label.ts';
import { budgetForm, budgetValues, isCalendar, limitsForm } from '../../lib/access/limits-draft.ts';
import { ownTimeZone } from '../../lib/access/window.ts';
import type { BudgetDraft, LimitsDraft } from '../../lib/access/limits-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { Capped } from './load.ts';
import { budgetOf, limitsOf } from './saves.ts';

const windows = [
  { value: 'daily', label: 'Every 24 hours' },
  { value: 'weekly', label: 'Every 7 days' },
  { value: 'monthly', label: 'Every 30 days' },
  { value: 'day', label: 'Calendar day' },
  { value: 'week', label: 'Calendar week (from Monday)' },
  { value: 'month', label: 'Calendar month' },
];

const unlimited = 'Leave empty for unlimited';

const caps: readonly FormRow<LimitsDraft>[] = [
  { name: 'requests_per_min', label: fieldLabels.requests_per_min, hint: unlimited },
  { name: 'tokens_per_min', label: fieldLabels.tokens_per_min, hint: unlimited },
];

const spending = ({ window }: BudgetDraft): readonly FormRow<BudgetDraft>[] => [
  {
    name: 'window',
    label: fieldLabels.window,
    type: 'select',
    hint: isCalendar(window)
      ? 'Begins at midnight in the time zone'
      : 'The first window starts when the budget was created',
    required: true,
    choices: windows,
  },
  isCalendar(window)
    ? {
        name: 'calendar.time_zone',
        member: 'time_zone',
        label: fieldLabels.time_zone,
        hint: 'An IANA name, such as Europe/Zurich or UTC',
        required: true,
      }
    : null,
  {
    name: 'cost_total_micros',
    label: `${fieldLabels.cost_total_micros}, in US dollars`,
    hint: unlimited,
  },
  { name: 'tokens_total', label: fieldLabels.tokens_total, hint: unlimited },
  {
    name: 'alert_at_percent',
    label: fieldLabels.alert_at_percent,
    hint: 'Webhooks are notified at these percentages of a cap, and at 100 %',
    placeholder: '50, 80, 95',
  },
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
        ? { ...budgetForm.blank, window: 'monthly', time_zone: ownTimeZone() }
        : budgetForm.write(budgetValues(capped.budget, ownTimeZone())),
    fields: (draft) => (capped.budget === null ? spending(draft) : [...spending(draft), kept]),
    save: (draft) => whenRead(budgetForm.read(draft), (values) => budgetOf(capped, values)),
  });
