// Imports pools, frontend models, rules, prompt classes and the fallback model.

import type { ConfigState } from '../../../projections/config/state.ts';
import { minMarginDefault } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { decideFrontendModel } from '../frontend-model.ts';
import { decidePool } from '../pool.ts';
import { holderOfName } from '../callers/principal.ts';
import { decidePromptClass } from '../prompt-class.ts';
import { decideRule } from '../rule.ts';
import type { ListedRule } from '../rule.ts';
import { decideSettings } from '../settings.ts';
import { meant, named } from './named.ts';
import type {
  FallbackStep,
  FrontendModelStep,
  ImportedRule,
  PoolStep,
  PromptClassStep,
  RulesStep,
} from './step.ts';
import type { Unfolding } from './unfolding.ts';

export function importPool(on: Unfolding, step: PoolStep): Refusal | null {
  const { name, description, policy } = step;
  const members = step.members?.map(({ model, weight }) => ({
    modelId: null,
    name: model,
    weight,
    position: null,
  }));
  const fields = { description, policy, members };
  const held = meant(on.state().pool, step);
  return on.take(
    held === undefined
      ? decidePool(on.state(), { type: 'CreatePool', name, fields })
      : decidePool(on.state(), { type: 'UpdatePool', id: held.id, fields: { name, ...fields } }),
  );
}

const targetNamed = (name: string) => ({ modelId: null, poolId: null, name, position: null });

export function importFrontendModel(on: Unfolding, step: FrontendModelStep): Refusal | null {
  const { name, description, maxModelLen } = step;
  const defaultTargets = step.defaultTargets?.map(targetNamed);
  const held = meant(on.state().frontend_model, step);
  if (held !== undefined) {
    const fields = { name, description, maxModelLen, defaultTargets };
    const command = { type: 'UpdateFrontendModel', id: held.id, fields } as const;
    return on.take(decideFrontendModel(on.state(), command));
  }
  const command = {
    type: 'CreateFrontendModel',
    name,
    description: description ?? null,
    maxModelLen: maxModelLen ?? null,
    rules: [],
    defaultTargets: defaultTargets ?? [],
  } as const;
  return on.take(decideFrontendModel(on.state(), command));
}

/** Reuses the current rule at the same place. */
export function importRules(on: Unfolding, step: RulesStep): Refusal | null {
  const state = on.state();
  const held = named(state.frontend_model, step.frontendModel);
  if (held === undefined) {
    return refuse('conflict', `frontend model ${step.frontendModel} does not exist`);
  }
  const rules: ListedRule[] = [];
  for (const [index, rule] of step.rules.entries()) {
    const listed = listedRule(state, rule);
    if (isRefusal(listed)) return listed;
    rules.push({ ...listed, id: held.rules[index]?.id });
  }
  return on.take(decideRule(state, { type: 'ReplaceRules', frontendModelId: held.id, rules }));
}

function listedRule(state: ConfigState, rule: ImportedRule): ListedRule | Refusal {
  const principals = rule.principals.map((name) => holderOfName(state, name)?.id);
  const known = principals.filter((id) => id !== undefined);
  if (known.length < principals.length) {
    return refuse('invalid', 'principals: one of them does not exist', { param: 'principals' });
  }
  const jumpTo = rule.jump_to === null ? null : named(state.frontend_model, rule.jump_to)?.id;
  if (jumpTo === undefined) {
    return refuse('invalid', `jump_to ${rule.jump_to} does not exist`, { param: 'jump_to' });
  }
  const { name, enabled, action, deny_status, deny_message, tag } = rule;
  return {
    name,
    enabled,
    action,
    deny_status,
    deny_message,
    tag,
    jump_to: jumpTo,
    targets: rule.targets.map(targetNamed),
    conditions: { ...rule.conditions, principals: known },
  };
}

/** Adds examples but never removes them: files may omit them. */
export function importPromptClass(on: Unfolding, step: PromptClassStep): Refusal | null {
  const { name, description, tier, minMargin, refines, examples } = step;
  const fields = { name, description, tier, minMargin, refines };
  const held = meant(on.state().prompt_class, step);
  if (held === undefined) {
    const command = {
      type: 'CreatePromptClass',
      name,
      description: description ?? null,
      tier: tier ?? 'fast',
      minMargin: minMargin ?? minMarginDefault,
      refines: refines ?? [],
      examples,
    } as const;
    return on.take(decidePromptClass(on.state(), command));
  }
  const { id } = held;
  const refusal = on.take(
    decidePromptClass(on.state(), { type: 'UpdatePromptClass', id, ...fields }),
  );
  if (refusal !== null) return refusal;
  for (const example of examples) {
    const added = on.take(decidePromptClass(on.state(), { type: 'AddPromptExample', id, example }));
    if (added !== null) return added;
  }
  return null;
}

export function importFallback(on: Unfolding, { model }: FallbackStep): Refusal | null {
  const modelId = model === null ? null : named(on.state().model, model)?.id;
  if (modelId === undefined) return refuse('invalid', `fallback_model ${model} does not exist`);
  return on.take(decideSettings(on.state(), { type: 'SetFallbackModel', modelId }));
}
