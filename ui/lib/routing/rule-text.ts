// Describes a rule as text, condition by condition, with the fields of each, so that a verdict can point at it.

import type { Rule } from '../../api/records.ts';
import type { Say } from '../../../src/conditions/condition.ts';
import { conditionTable } from '../../../src/conditions/table.ts';
import { formatMoney, formatNumber, formatTime } from '../text/format.ts';
import { writeOffset } from '../text/utc-offset.ts';

/** `fields` are server names. */
export type Condition = Readonly<{ fields: readonly string[]; text: string }>;

export const sayings: Say = {
  number: formatNumber,
  money: formatMoney,
  offset: writeOffset,
  time: (epochMs) => formatTime(new Date(epochMs), 'utc'),
  principal: String,
};

/** A rule without conditions matches every request. */
export const conditionsOf = (rule: Rule, principal: (id: number) => string): readonly Condition[] =>
  conditionTable.flatMap((one) =>
    one
      .phrases(rule, { ...sayings, principal })
      .map(({ text, fields = Object.keys(one.fields) }) => ({ text, fields })),
  );

type Names = Readonly<{
  principal: (id: number) => string;
  frontendModel: (id: number) => string;
}>;

/** One line, for diffs. */
export function ruleTitle(rule: Rule, names: Names): string {
  const conditions = conditionsOf(rule, names.principal).map(({ text }) => text);
  return `${conditions.length === 0 ? 'every request' : conditions.join(', ')}: ${actionText(rule, names)}`;
}

function actionText(rule: Rule, { frontendModel }: Names): string {
  switch (rule.action) {
    case 'route':
      return rule.targets.length === 0
        ? 'no targets'
        : rule.targets.map(({ model }) => model).join(' → ');
    case 'deny':
      return `deny ${rule.deny_status ?? ''}`.trim();
    case 'jump':
      return `jump to ${rule.jump_to === null ? 'nothing' : frontendModel(rule.jump_to)}`;
  }
}
