// Lists the facts that a usage row lacks and that may affect its route, so that no one mistakes a
// guess for a fact.

import type { UsageRecord } from '../../db/usage/usage-events.ts';
import type { Considered } from '../../routing/considered.ts';
import type { Verdict } from '../../routing/explain.ts';

type Row = Pick<UsageRecord, 'refusal' | 'attempts' | 'prompt_class_id' | 'model_id'>;
type Listed = Pick<Considered, 'dropped' | 'isSmall'> &
  Readonly<{
    model: Pick<Considered['model'], 'id'>;
    pool: Pick<NonNullable<Considered['pool']>, 'name'> | null;
  }>;

export function notRecorded(
  row: Row,
  verdicts: readonly Pick<Verdict, 'rule' | 'unknown'>[],
  listed: readonly Listed[],
): readonly string[] {
  const { refusal, attempts, prompt_class_id } = row;
  const rules = verdicts.flatMap(({ rule, unknown }) =>
    unknown.length === 0
      ? []
      : `the values of ${unknown.join(', ')} that rule ${rule.id} tests: the recorded result is used`,
  );
  const pools = listed.filter(({ pool, dropped }) => pool !== null && dropped === null);
  return [
    ...rules,
    ...(prompt_class_id === null ? [] : ['the prompt: the recorded prompt class is used']),
    ...(pools.length > 1
      ? [
          'the conversation and the load of endpoints: the order within a pool follows from the model that answered',
        ]
      : []),
    ...(attempts > 1
      ? [`the responses to the first ${attempts - 1} of ${attempts} attempts, and who sent them`]
      : []),
    ...(refusal === 'no_backend' || refusal === 'backend_overloaded' || isPassedOver(row, listed)
      ? ['which endpoints were up and in rotation']
      : []),
    ...(refusal === 'rate_limit' ? ['the usage of the rate limit'] : []),
    ...(refusal === 'budget' ? ['the spending of the budget, except for its percentage'] : []),
  ];
}

/**
 * True if a candidate before the answering one was not tried. Members of one pool do not count,
 * because their order varies.
 */
function isPassedOver({ model_id, attempts }: Row, listed: readonly Listed[]): boolean {
  const candidates = listed
    .filter(({ dropped }) => dropped === null)
    .toSorted((a, b) => Number(a.isSmall) - Number(b.isSmall));
  const at = candidates.findIndex(({ model }) => model.id === model_id);
  const pool = candidates[at]?.pool ?? null;
  const before = candidates
    .slice(0, Math.max(at, 0))
    .filter((one) => pool === null || one.pool?.name !== pool.name);
  return before.length > Math.max(attempts - 1, 0);
}
