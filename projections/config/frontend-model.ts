// Folds the events of a frontend model: rules by position, each with its targets, and the defaults.

import { isSetter } from '../../events/catalogue.ts';
import type { FrontendModelEvent, StoredRule, Target } from '../../events/frontend-model.ts';
import type { FrontendModelId } from '../../src/lib/ids.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, withSet } from './entity.ts';
import { withFound, withLost } from './model-ref.ts';

/** Targets are sorted by position. */
export type Rule = StoredRule & Readonly<{ targets: readonly Target[] }>;

export type FrontendModel = Readonly<{
  id: FrontendModelId;
  name: string;
  description: string | null;
  maxModelLen: number | null;
  rules: readonly Rule[];
  defaultTargets: readonly Target[];
}>;

export function evolveFrontendModel(
  model: FrontendModel | undefined,
  event: FrontendModelEvent,
): FrontendModel | undefined {
  if (isSetter(event)) return withSet(existing(model, event), event.data);
  switch (event.type) {
    case 'FrontendModelCreated':
      checkAbsent(model, event);
      return { ...camelKeys(event.data), rules: [], defaultTargets: [] };
    case 'FrontendModelRuleAdded': {
      const { rule, targets } = event.data;
      return withRules(existing(model, event), (rules) => {
        checkAbsent(
          rules.find(({ id }) => id === rule.id),
          event,
        );
        return [...rules, { ...rule, targets }];
      });
    }
    case 'FrontendModelRuleChanged': {
      const { rule } = event.data;
      return withRule(existing(model, event), event, rule.id, ({ targets }) => ({
        ...rule,
        targets,
      }));
    }
    case 'FrontendModelRuleRemoved': {
      const { rule_id } = event.data;
      return withRules(existing(model, event), (rules) => {
        existing(
          rules.find(({ id }) => id === rule_id),
          event,
        );
        return rules.filter(({ id }) => id !== rule_id);
      });
    }
    case 'FrontendModelTargetsSet': {
      const { rule_id, targets } = event.data;
      if (rule_id === null) return { ...existing(model, event), defaultTargets: targets };
      return withRule(existing(model, event), event, rule_id, (held) => ({ ...held, targets }));
    }
    case 'FrontendModelTargetLost':
      return withTargets(existing(model, event), (targets) => withLost(targets, event.data));
    case 'FrontendModelTargetFound':
      return withTargets(existing(model, event), (targets) => withFound(targets, event.data));
    case 'FrontendModelDeleted':
      existing(model, event);
      return undefined;
  }
}

/** The highest ids of rules and targets in an event. */
export function frontendModelParts(event: FrontendModelEvent): Readonly<Record<string, number>> {
  if (event.type === 'FrontendModelTargetsSet') return { target: highestId(event.data.targets) };
  if (event.type !== 'FrontendModelRuleAdded') return {};
  return { rule: event.data.rule.id, target: highestId(event.data.targets) };
}

const highestId = (parts: readonly { id: number }[]): number =>
  Math.max(0, ...parts.map(({ id }) => id));

const withRules = (
  model: FrontendModel,
  change: (rules: readonly Rule[]) => readonly Rule[],
): FrontendModel => ({
  ...model,
  rules: change(model.rules).toSorted((a, b) => a.position - b.position),
});

const withRule = (
  model: FrontendModel,
  event: FrontendModelEvent,
  id: number,
  change: (rule: Rule) => Rule,
): FrontendModel =>
  withRules(model, (rules) => {
    existing(
      rules.find((rule) => rule.id === id),
      event,
    );
    return rules.map((rule) => (rule.id === id ? change(rule) : rule));
  });

const withTargets = (
  model: FrontendModel,
  change: (targets: readonly Target[]) => readonly Target[],
): FrontendModel => ({
  ...model,
  rules: model.rules.map((rule) => ({ ...rule, targets: change(rule.targets) })),
  defaultTargets: change(model.defaultTargets),
});
