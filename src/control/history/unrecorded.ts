// What a usage row does not hold of its request, as far as it bears on the route: said plainly, so
// that nobody takes a guess for a fact.

import type { UsageRecord } from '../../db/usage/usage-events.ts';
import type { Considered } from '../../routing/considered.ts';
import type { Verdict } from '../../routing/explain.ts';

type Row = Pick<UsageRecord, 'refusal' | 'attempts' | 'prompt_class_id' | 'model_id'>;
type Listed = Pick<Considered, 'dropped' | 'isSmall'> &
  Readonly<{
    model: Pick<Considered['model'], 'id'>;
    pool: Pick<NonNullable<Considered['pool']>, 'name'> | null;
  }>;

/** A sentence each. */
export function notRecorded(
  row: Row,
  verdicts: readonly Pick<Verdict, 'rule' | 'unknown'>[],
  listed: readonly Listed[],
): readonly string[] {
  const { refusal, attempts, prompt_class_id } = row;
  const rules = verdicts.flatMap(({ rule, unknown }) =>
    unknown.length === 0
      ? []
      : `what rule ${rule.id} asks of ${unknown.join(', ')}: its verdict is that of the recorded decision`,
  );
  const pools = listed.filter(({ pool, dropped }) => pool !== null && dropped === null);
  return [
    ...rules,
    ...(prompt_class_id === null ? [] : ['the prompt: its class is the one that was found then']),
    ...(pools.length > 1
      ? [
          'the conversation and the load of endpoints: which member of a pool came first is told by who answered',
        ]
      : []),
    ...(attempts > 1
      ? [`what the first ${attempts - 1} of ${attempts} attempts were answered, and by whom`]
      : []),
    ...(refusal === 'no_backend' || refusal === 'backend_overloaded' || isPassedOver(row, listed)
      ? ['which endpoints were up and in rotation']
      : []),
    ...(refusal === 'rate_limit' ? ['what was used of the rate limit'] : []),
    ...(refusal === 'budget' ? ['what was spent of the budget, but for its percentage'] : []),
  ];
}

/** Whether a candidate that came before the one that answered was not even tried. Members of one pool come in an order of the moment. */
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
