// Reads the form of a rule. Untouched fields are omitted; an empty field is sent as null, which clears it. Fields of other actions are
// omitted, and cleared when the action changes.

import type { Rule } from '../../api/records.ts';
import type { ConditionRecord } from '../../../src/conditions/table.ts';
import { readBound } from '../saves/typed.ts';
import { conditionForm } from './condition-fields.ts';
import { differing, textOrNull, wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { linesOf } from '../text/lines.ts';
import { blankRule } from './rule-draft.ts';
import type { RuleDraft } from './rule-draft.ts';

/** The body of the API. */
export type RuleBody = ConditionRecord &
  Readonly<{
    name: string | null;
    enabled: boolean;
    action: Rule['action'];
    targets: readonly string[];
    deny_status: number | null;
    deny_message: string | null;
    jump_to: number | null;
    tag: string | null;
  }>;

export const actionOf = ({ action }: Pick<RuleDraft, 'action'>): Rule['action'] =>
  action === 'deny' || action === 'jump' ? action : 'route';

/** The server checks what only it knows, such as whether a target exists. */
export function ruleBody(draft: RuleDraft): Read<RuleBody> {
  const action = actionOf(draft);
  const conditions = conditionForm.read(draft);
  if ('wrong' in conditions) return conditions;
  const status = readBound(draft.deny_status);
  if (action === 'deny' && (status === null || status === undefined)) {
    return wrong('deny_status', 'must be a status from 400 to 499');
  }
  if (action === 'jump' && draft.jump_to === '') {
    return wrong('jump_to', 'choose a frontend model to continue with');
  }
  return {
    body: {
      name: textOrNull(draft.name),
      enabled: draft.enabled,
      action,
      targets: action === 'route' ? linesOf(draft.targets) : [],
      deny_status: action === 'deny' ? (status ?? null) : null,
      deny_message: action === 'deny' ? textOrNull(draft.deny_message) : null,
      jump_to: action === 'jump' ? Number(draft.jump_to) : null,
      tag: textOrNull(draft.tag),
      ...conditions.body,
    },
  };
}

/** Unset conditions are omitted. */
export function newRuleBody(draft: RuleDraft): Read<Partial<RuleBody>> {
  const read = ruleBody(draft);
  if ('wrong' in read) return read;
  const blank = ruleBody(blankRule);
  const { action, ...rest } = read.body;
  return 'wrong' in blank ? read : { body: { action, ...differing(rest, blank.body) } };
}

/** Empty for an unchanged rule. */
export function ruleChange(draft: RuleDraft, rule: Rule): Read<Partial<RuleBody>> {
  const read = ruleBody(draft);
  return 'wrong' in read ? read : { body: differing(read.body, recordBody(rule)) };
}

/** With names of targets. */
export const recordBody = ({ targets, ...rule }: Rule): RuleBody => ({
  ...rule,
  targets: targets.map(({ model }) => model),
});
