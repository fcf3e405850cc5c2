// The conditions of a rule as the form offers them: each is added when it is wanted and removed as a whole.

import { conditionTable } from '../../../src/conditions/table.ts';
import type { ConditionId } from '../../../src/conditions/table.ts';
import type { ConditionDraft } from './condition-fields.ts';

/** Those of which a field is filled. */
export const kindsIn = (draft: ConditionDraft): readonly ConditionId[] =>
  conditionTable
    .filter(({ fields }) => Object.keys(fields).some((name) => textOf(draft, name) !== ''))
    .map(({ id }) => id);

const textOf = (draft: ConditionDraft, name: string): string =>
  String(Reflect.get(draft, name)).trim();

/** The draft with all fields of the condition empty. */
export function withoutKind<Draft extends ConditionDraft>(draft: Draft, kind: ConditionId): Draft {
  const fields = conditionTable.find(({ id }) => id === kind)?.fields ?? {};
  return { ...draft, ...Object.fromEntries(Object.keys(fields).map((name) => [name, ''])) };
}
