// Defines the fields of the rule form: conditions and actions.

import type { FrontendModel, Rule } from '../../api/records.ts';
import { dayNames } from '../../../src/conditions/clock.ts';
import type { Field } from '../../../src/conditions/condition.ts';
import type { FieldType } from '../../../src/conditions/field-types.ts';
import { conditionFields, conditionTable, fieldNames } from '../../../src/conditions/table.ts';
import type { ConditionId, FieldName } from '../../../src/conditions/table.ts';
import type { Option } from '../../elements/form/picks.ts';
import { choicesOf, orNone, recordChoices } from '../../lib/page/choices.ts';
import { actionOf } from '../../lib/routing/rule-body.ts';
import type { RuleDraft } from '../../lib/routing/rule-draft.ts';
import { ruleName } from '../../lib/routing/rule-name.ts';
import type { FormField, FormRow } from '../../parts/form-rows.ts';
import type { Names } from './rule-saves.ts';

export type Named = Readonly<{ id: number; name: string }>;

export type RuleRow = Readonly<{
  owner: FrontendModel;
  /** Null for a new rule. */
  rule: Rule | null;
  /** Null if a new rule starts empty. */
  copied: Rule | null;
  names: Names;
  targets: readonly Option[];
  principals: readonly Named[];
  roles: readonly string[];
  classes: readonly string[];
  frontendModels: readonly Named[];
}>;

export type Draft = RuleDraft & Readonly<{ /** The position of a new rule. */ position: string }>;

type Rows = readonly FormRow<Draft>[];

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
  { name: 'name', label: 'Name', hint: 'Shown in lists, usage and History' },
  { name: 'enabled', label: 'Enabled', type: 'checkbox', hint: 'A disabled rule is skipped' },
];

/** The fields of a condition share a row; days have their own row. */
export function conditionRows(kind: ConditionId, draft: Draft, row: RuleRow): Rows {
  const fields = formFields(kind, draft, row);
  const days = fields.filter(({ type }) => type === 'toggles');
  const [first, ...others] = fields.filter(({ type }) => type !== 'toggles');
  if (first === undefined || others.length === 0) return fields;
  const beside = [first, ...others];
  return [...days, beside.length === 2 ? { pair: beside } : { three: beside }];
}

function formFields(kind: ConditionId, draft: Draft, row: RuleRow): readonly FormField<Draft>[] {
  const own = conditionTable.find(({ id }) => id === kind)?.fields ?? {};
  return fieldNames
    .filter((name) => Object.hasOwn(own, name))
    .map((name) => formField(name, draft, row));
}

const units: Partial<Record<FieldType, string>> = { percent: ' (%)', micros: ' ($)' };

function formField(name: FieldName, draft: Draft, row: RuleRow): FormField<Draft> {
  const field: Field = conditionFields[name];
  const { type, hint, placeholder } = field;
  const words = {
    name,
    label: `${field.label}${units[type] ?? ''}`,
    ...(hint === undefined ? {} : { hint }),
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  switch (type) {
    case 'principals':
      return { ...words, type: 'picks', options: recordChoices(row.principals) };
    case 'roles':
      return { ...words, type: 'picks', options: choicesOf(row.roles) };
    case 'class':
      return { ...words, type: 'select', unmarked: true, choices: classChoices(draft, row) };
    case 'flag':
      return { ...words, type: 'select', unmarked: true, choices: flagChoices(field) };
    case 'headers':
      return { ...words, type: 'textarea', unmarked: true, mono: true };
    case 'days':
      return { ...words, type: 'toggles', choices: days };
    case 'tokens':
    case 'requests':
    case 'percent':
    case 'micros':
    case 'minute':
    case 'offset':
      return { ...words, unmarked: true };
  }
}

const classChoices = (draft: Draft, { classes }: RuleRow) => {
  const names = [...new Set([...classes, draft.class])].filter((name) => name !== '');
  return orNone('Any or none', choicesOf(names));
};

const flagChoices = ({ flags }: Field) => [
  { value: '', label: flags?.any ?? 'Any' },
  { value: 'true', label: flags?.true ?? 'Yes' },
  { value: 'false', label: flags?.false ?? 'No' },
];

const days = dayNames.map((label, index) => ({ value: String(index + 1), label }));

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
        placeholder: 'Model or pool',
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
