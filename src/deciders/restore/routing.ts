// Restores pools, frontend models and prompt classes. Their parts keep their ids.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { FrontendModel, Rule } from '../../../projections/config/frontend-model.ts';
import type { Pool } from '../../../projections/config/pool.ts';
import type { PromptClass } from '../../../projections/config/prompt-class.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { createdAs, setAllFields } from '../set-fields.ts';
import { whole } from './kind.ts';
import type { Restoring } from './kind.ts';

const differ = (a: unknown, b: unknown): boolean => canonicalJson(a) !== canonicalJson(b);

export const pools: Restoring<Pool> = {
  attainable: whole,
  changed: (held, goal) => setAllFields('pool', held, goal),
};

export const frontendModels: Restoring<FrontendModel> = {
  attainable: whole,
  changed: (held, goal) => {
    const { id, defaultTargets } = goal;
    const stream = streamOf('frontend_model', id);
    const events: GwEvent[] = [...setAllFields('frontend_model', held, goal)];
    events.push(...ruleEvents(held, goal));
    if (differ(defaultTargets, held.defaultTargets)) {
      const data = { id, rule_id: null, targets: defaultTargets };
      events.push({ stream, type: 'FrontendModelTargetsSet', data });
    }
    return events;
  },
};

function ruleEvents(held: FrontendModel, { id, rules }: FrontendModel): readonly GwEvent[] {
  const stream = streamOf('frontend_model', id);
  const removed = held.rules
    .filter((rule) => !rules.some((one) => one.id === rule.id))
    .map(({ id: rule_id }) => {
      const data = { id, rule_id };
      return { stream, type: 'FrontendModelRuleRemoved', data } as const;
    });
  const set = rules.flatMap((rule): GwEvent[] => {
    const before = held.rules.find((one) => one.id === rule.id);
    const { targets, ...stored } = rule;
    if (before === undefined) {
      return [{ stream, type: 'FrontendModelRuleAdded', data: { id, rule: stored, targets } }];
    }
    const events: GwEvent[] = [];
    if (differ(stored, withoutTargets(before))) {
      events.push({ stream, type: 'FrontendModelRuleChanged', data: { id, rule: stored } });
    }
    if (differ(targets, before.targets)) {
      const data = { id, rule_id: rule.id, targets };
      events.push({ stream, type: 'FrontendModelTargetsSet', data });
    }
    return events;
  });
  return [...removed, ...set];
}

const withoutTargets = ({ targets: _targets, ...stored }: Rule) => stored;

export const promptClasses: Restoring<PromptClass> = {
  attainable: (wanted, held, { erased }) => {
    const stands = new Set(held?.examples.map(({ ref }) => ref));
    const lost = wanted.examples.filter(({ ref }) => erased.has(ref) && !stands.has(ref));
    const examples = wanted.examples.filter((one) => !lost.includes(one));
    return {
      goal: { ...wanted, examples },
      losses: lost.map(({ id }) => ({ field: `examples.${id}`, reason: 'erased' })),
    };
  },
  created: (goal) => [createdAs('prompt_class', { ...goal, refines: [] })],
  changed: (held, goal) => [
    ...setAllFields('prompt_class', held, goal),
    ...exampleEvents(held, goal),
  ],
};

function exampleEvents(held: PromptClass, { id, examples }: PromptClass): readonly GwEvent[] {
  const stream = streamOf('prompt_class', id);
  return [
    ...held.examples
      .filter((one) => !isIn(examples, one.id))
      .map(({ id: example_id }) => {
        const data = { id, example_id };
        return { stream, type: 'PromptExampleRemoved', data } as const;
      }),
    ...examples
      .filter((one) => !isIn(held.examples, one.id))
      .map(({ id: example_id, addedAt, ...example }) => {
        const data = { id, example_id, example, added_at: toRfc3339(addedAt) };
        return { stream, type: 'PromptExampleAdded', data } as const;
      }),
  ];
}

const isIn = (list: PromptClass['examples'], example: number): boolean =>
  list.some((one) => one.id === example);
