// Adds and removes whole conditions in the rule form.

import { conditionTable } from '../../../src/conditions/table.ts';
import type { ConditionId } from '../../../src/conditions/table.ts';
import type { ConditionDraft } from './condition-fields.ts';

export const kindsIn = (draft: ConditionDraft): readonly ConditionId[] =>
  conditionTable
    .filter(({ fields }) => Object.keys(fields).some((name) => textOf(draft, name) !== ''))
    .map(({ id }) => id);

const textOf = (draft: ConditionDraft, name: string): string =>
  String(Reflect.get(draft, name)).trim();

export function withoutKind<Draft extends ConditionDraft>(draft: Draft, kind: ConditionId): Draft {
  const fields = conditionTable.find(({ id }) => id === kind)?.fields ?? {};
  return { ...draft, ...Object.fromEntries(Object.keys(fields).map((name) => [name, ''])) };
}
