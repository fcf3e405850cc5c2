// The conditions of a rule as the form offers them: each a few fields, added when it is wanted and taken away as a whole.

import { blankRule } from './rule-draft.ts';
import type { RuleDraft } from './rule-draft.ts';

export const conditionKinds = [
  { id: 'callers', label: 'Caller', fields: ['principals', 'roles'] },
  { id: 'class', label: 'Prompt class', fields: ['class'] },
  { id: 'stream', label: 'Stream', fields: ['stream'] },
  { id: 'prompt', label: 'Prompt size', fields: ['min_prompt_tokens', 'max_prompt_tokens'] },
  { id: 'asked', label: 'Requested max_tokens', fields: ['min_max_tokens', 'max_max_tokens'] },
  { id: 'headers', label: 'Headers', fields: ['headers'] },
  {
    id: 'budget',
    label: 'Budget used',
    fields: ['min_budget_used_percent', 'max_budget_used_percent'],
  },
  { id: 'cost', label: 'Cost', fields: ['min_request_cost_micros', 'max_request_cost_micros'] },
  { id: 'busy', label: 'Load', fields: ['max_inflight_per_backend'] },
  { id: 'clock', label: 'Time', fields: ['days', 'after', 'before', 'utc_offset_minutes'] },
] as const;

export type ConditionKind = (typeof conditionKinds)[number]['id'];

/** Those of which a field is filled. */
export const kindsIn = (draft: RuleDraft): readonly ConditionKind[] =>
  conditionKinds
    .filter(({ fields }) => fields.some((field) => draft[field].trim() !== ''))
    .map(({ id }) => id);

/** The draft with all fields of the condition empty. */
export function withoutKind<Draft extends RuleDraft>(draft: Draft, kind: ConditionKind): Draft {
  const fields = conditionKinds.find(({ id }) => id === kind)?.fields ?? [];
  return { ...draft, ...Object.fromEntries(fields.map((field) => [field, blankRule[field]])) };
}
