// What a usage row does not hold of its request, as far as it bears on the route: said plainly, so
// that nobody takes a guess for a fact.

import type { UsageRecord } from '../../db/usage-events.ts';
import type { Considered } from '../../routing/considered.ts';
import type { Verdict } from '../../routing/explain.ts';

type Row = Pick<UsageRecord, 'refusal' | 'attempts' | 'prompt_class_id'>;

/** A sentence each. */
export function notRecorded(
  { refusal, attempts, prompt_class_id }: Row,
  verdicts: readonly Verdict[],
  listed: readonly Considered[],
): readonly string[] {
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
    ...(refusal === 'no_backend' ? ['which endpoints were up and in rotation'] : []),
    ...(refusal === 'rate_limit' ? ['what was used of the rate limit'] : []),
    ...(refusal === 'budget' ? ['what was spent of the budget, but for its percentage'] : []),
  ];
}
