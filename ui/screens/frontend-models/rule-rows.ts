// The fields of a rule's form: those of each kind of condition, and those of what becomes of the request then.

import type { FrontendModel, Rule } from '../../api/frontend-models.ts';
import type { Option } from '../../elements/picks.ts';
import { choicesOf, orNone, recordChoices } from '../../lib/choices.ts';
import { fieldLabels } from '../../lib/field-label.ts';
import { actionOf } from '../../lib/rule-body.ts';
import type { ConditionKind } from '../../lib/rule-conditions.ts';
import type { RuleDraft } from '../../lib/rule-draft.ts';
import { ruleName } from '../../lib/rule-name.ts';
import { dayNames } from '../../lib/rule-text.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import type { Names } from './rule-saves.ts';

export type Named = Readonly<{ id: number; name: string }>;

export type RuleRow = Readonly<{
  owner: FrontendModel;
  /** Null is a new one. */
  rule: Rule | null;
  /** The rule that a new one starts as a copy of; null starts an empty one. */
  copied: Rule | null;
  names: Names;
  targets: readonly Option[];
  principals: readonly Named[];
  roles: readonly string[];
  classes: readonly string[];
  frontendModels: readonly Named[];
}>;

export type Draft = RuleDraft & Readonly<{ /** The place of a new one. */ position: string }>;

type Rows = readonly FormRow<Draft>[];

const streams = [
  { value: '', label: 'Streamed or not' },
  { value: 'true', label: 'Streamed' },
  { value: 'false', label: 'Not streamed' },
];
const days = dayNames.map((label, index) => ({ value: String(index + 1), label }));

export const placeRow = ({ owner: { rules } }: RuleRow): FormRow<Draft> => ({
  name: 'position',
  label: 'Position',
  type: 'select',
  required: true,
  choices: [
    ...rules.map((rule, at) => ({ value: String(at), label: `Before ${ruleName(rule)}` })),
    { value: String(rules.length), label: 'Last' },
  ],
});

export const identityRows: Rows = [
  { name: 'name', label: 'Name', hint: 'Shown instead of the id' },
  { name: 'enabled', label: 'Enabled', type: 'checkbox', hint: 'Requests skip a disabled rule' },
];

export function conditionRows(kind: ConditionKind, draft: Draft, row: RuleRow): Rows {
  switch (kind) {
    case 'callers':
      return [callers(row)];
    case 'class':
      return [promptClass(draft, row)];
    case 'stream':
      return [
        { name: 'stream', label: 'Stream', type: 'select', unmarked: true, choices: streams },
      ];
    case 'prompt':
      return [range('prompt_tokens')];
    case 'asked':
      return [range('max_tokens')];
    case 'headers':
      return [headers];
    case 'budget':
      return [range('budget_used_percent', ' (%)')];
    case 'cost':
      return [range('request_cost_micros', ' ($)')];
    case 'busy':
      return [busy];
    case 'clock':
      return clock;
  }
}

const callers = ({ principals, roles }: RuleRow): FormRow<Draft> => ({
  pair: [
    {
      name: 'principals',
      label: 'Principals',
      type: 'picks',
      placeholder: 'Anyone',
      options: recordChoices(principals),
    },
    {
      name: 'roles',
      label: 'Roles',
      type: 'picks',
      placeholder: 'Any role',
      options: choicesOf(roles),
    },
  ],
});

function promptClass(draft: Draft, { classes }: RuleRow): FormRow<Draft> {
  const names = [...new Set([...classes, draft.class])].filter((name) => name !== '');
  return {
    name: 'class',
    label: 'Prompt class',
    type: 'select',
    unmarked: true,
    choices: orNone('Any, or none', choicesOf(names)),
  };
}

type Ranged = 'prompt_tokens' | 'max_tokens' | 'budget_used_percent' | 'request_cost_micros';

const range = (field: Ranged, unit = ''): FormRow<Draft> => ({
  pair: [
    {
      name: `min_${field}` as const,
      label: `${fieldLabels[`min_${field}`]}${unit}`,
      unmarked: true,
    },
    {
      name: `max_${field}` as const,
      label: `${fieldLabels[`max_${field}`]}${unit}`,
      unmarked: true,
    },
  ],
});

const headers: FormRow<Draft> = {
  name: 'headers',
  label: 'Headers',
  type: 'textarea',
  placeholder: 'x-tier: gold',
  hint: 'One header per line. All must match exactly.',
  unmarked: true,
  mono: true,
};

const busy: FormRow<Draft> = {
  name: 'max_inflight_per_backend',
  label: fieldLabels.max_inflight_per_backend,
  hint: 'On at least one backend of the targets',
  unmarked: true,
};

const clock: Rows = [
  { name: 'days', label: 'Days', type: 'toggles', choices: days },
  {
    three: [
      { name: 'after', label: 'From', placeholder: '08:00' },
      { name: 'before', label: 'Until', placeholder: '18:00' },
      { name: 'utc_offset_minutes', label: 'From UTC', placeholder: '+00:00' },
    ],
  },
];

export const actionRow: FormRow<Draft> = {
  name: 'action',
  label: 'Action',
  type: 'select',
  required: true,
  choices: [
    { value: 'route', label: 'Route to targets (in order)' },
    { value: 'deny', label: 'Deny the request' },
    { value: 'jump', label: 'Continue with another frontend model' },
  ],
};

export function outcomeRow(
  draft: Draft,
  { targets, frontendModels, owner }: RuleRow,
): FormRow<Draft> {
  switch (actionOf(draft)) {
    case 'route':
      return {
        name: 'targets',
        label: 'Targets',
        type: 'picks',
        hint: 'Tried in order',
        placeholder: 'Name of a model or a pool',
        ordered: true,
        options: targets,
      };
    case 'deny':
      return {
        pair: [
          { name: 'deny_status', label: 'Status', required: true },
          { name: 'deny_message', label: 'Message' },
        ],
      };
    case 'jump':
      return {
        name: 'jump_to',
        label: 'Continue with',
        type: 'select',
        required: true,
        choices: orNone(
          'Choose a frontend model',
          recordChoices(frontendModels.filter(({ id }) => id !== owner.id)),
        ),
      };
  }
}

export const tagRow: FormRow<Draft> = {
  name: 'tag',
  label: 'Tag',
  hint: 'Added to matching requests in Usage',
  mono: true,
};
