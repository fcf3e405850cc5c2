// The draft of a rule form, empty or filled from a rule.

import type { Rule } from '../../api/records.ts';
import { conditionForm } from './condition-fields.ts';
import type { ConditionDraft } from './condition-fields.ts';
import { written } from '../saves/draft.ts';
import { lines } from '../text/lines.ts';

/** All values as typed. Lists have one line per part. */
export type RuleDraft = ConditionDraft &
  Readonly<{
    name: string;
    enabled: boolean;
    action: string;
    /** Names of models and pools, in order. */
    targets: string;
    deny_status: string;
    deny_message: string;
    /** An id. */
    jump_to: string;
    tag: string;
  }>;

export const blankRule: RuleDraft = {
  name: '',
  enabled: true,
  action: 'route',
  targets: '',
  deny_status: '403',
  deny_message: '',
  jump_to: '',
  tag: '',
  ...conditionForm.blank,
};

export const fromRule = (rule: Rule): RuleDraft => ({
  name: rule.name ?? '',
  enabled: rule.enabled,
  action: rule.action,
  targets: lines(rule.targets.map(({ model }) => model)),
  deny_status: rule.deny_status === null ? blankRule.deny_status : String(rule.deny_status),
  deny_message: rule.deny_message ?? '',
  jump_to: written(rule.jump_to),
  tag: rule.tag ?? '',
  ...conditionForm.write(rule),
});
