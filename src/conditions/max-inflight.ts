// Condition on load: at least one endpoint of the rule's own targets must be healthy and below the
// limit.

import type { LoadCeiling, Place } from './asked.ts';
import { condition, notRecorded } from './condition.ts';

const field = 'max_inflight_per_backend';

export const maxInflight = condition({
  id: 'busy',
  label: 'Load',
  effort: 6,
  fields: {
    max_inflight_per_backend: {
      type: 'requests',
      label: 'Requests in flight, below',
      hint: 'On at least one backend of the targets',
    },
  },
  compile: ({ max_inflight_per_backend: below }, { models }) => {
    if (below === null) return null;
    const ceiling: LoadCeiling = { models, below, key: ceilingKey(models, below) };
    return {
      holds: (asked) => asked.hasCapacity(ceiling),
      failed: () => [field],
      questions: [
        {
          key: ceiling.key,
          fields: [field],
          answeredBy: 'rules',
          keep: (asked, kept, rules) => {
            if (!asked.hasCapacity(ceiling)) kept.crowdedRules.push(...rules);
          },
        },
      ],
    };
  },
  phrases: ({ max_inflight_per_backend: below }, { number }) =>
    below === null
      ? []
      : [{ text: `one of its backends has fewer than ${number(below)} in flight` }],
  matched: () => notRecorded,
});

const ceilingKey = (models: readonly Place[], below: number): string =>
  JSON.stringify([
    'room',
    below,
    ...models.map(({ id, backends }) => [
      id,
      ...backends.map(({ endpoint, upstreamModel }) => [endpoint, upstreamModel]),
    ]),
  ]);
