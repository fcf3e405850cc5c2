// Builds the record of a rule, equally from the state and from the tables. Conditions are fields of
// the rule itself, with roles and classes by name and times as HH:MM.

import { z } from 'zod';

import { goneName } from '../../../projections/config/find.ts';
import type { Target } from '../../../events/frontend-model.ts';
import type { FrontendModel, Rule } from '../../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { RuleRow, TargetRow } from '../../../projections/tables/frontend-models.ts';
import { recordShape } from '../../conditions/schemas.ts';
import { toRecord } from '../../conditions/values.ts';
import { frontendModelId, modelId, poolId, ruleId, targetId } from '../../lib/ids.ts';
import { ruleAction } from '../../lib/vocabulary.ts';

/**
 * Both ids are null if the model was deleted. The target is then unavailable and keeps the name.
 */
export const targetRecord = z.object({
  id: targetId,
  provider_model_id: modelId.nullable(),
  model_pool_id: poolId.nullable(),
  model: z.string(),
  position: z.int(),
});
export type TargetRecord = z.input<typeof targetRecord>;

export const ruleRecord = z.object({
  id: ruleId,
  name: z.string().nullable(),
  enabled: z.boolean(),
  position: z.int(),
  action: ruleAction,
  ...recordShape,
  deny_status: z.int().nullable(),
  deny_message: z.string().nullable(),
  jump_to: frontendModelId.nullable(),
  tag: z.string().nullable(),
  targets: z.array(targetRecord).readonly(),
});
type RuleRecord = z.input<typeof ruleRecord>;

/** Fixes the order of the fields, because jsonb has its own. */
export function toRuleRecord(row: RuleRow): RuleRecord {
  const { id, name, enabled, position, action, conditions, role_names, class_name } = row;
  const { deny_status, deny_message, jump_to, tag, targets } = row;
  return {
    id,
    name,
    enabled,
    position,
    action,
    ...toRecord(conditions, {
      role: (role) => role_names[role] ?? goneName(role),
      promptClass: (promptClass) => class_name ?? goneName(promptClass),
    }),
    deny_status,
    deny_message,
    jump_to,
    tag,
    targets,
  };
}

/** A rule that is read on its own, outside its frontend model. */
export const ownedRule = ruleRecord.extend({ frontend_model_id: frontendModelId });

export const ownedRuleIn = (
  state: ConfigState,
  { owner, rule }: Readonly<{ owner: Pick<FrontendModel, 'id'>; rule: Rule }>,
): z.input<typeof ownedRule> => ({
  ...toRuleRecord(ruleRowIn(state, rule)),
  frontend_model_id: owner.id,
});

export const ruleRowIn = (state: ConfigState, { targets, ...rule }: Rule): RuleRow => ({
  ...rule,
  name: rule.name ?? null,
  enabled: rule.enabled ?? true,
  role_names: Object.fromEntries(
    rule.conditions.roles.flatMap((id) => {
      const role = state.role.byId.get(id);
      return role === undefined ? [] : [[id, role.name]];
    }),
  ),
  class_name: state.prompt_class.byId.get(rule.conditions.class ?? 0)?.name ?? null,
  targets: targets.map((target) => targetRowIn(state, target)),
});

export function targetRowIn(state: ConfigState, target: Target): TargetRow {
  const { id, model_id, pool_id, gone_model, position } = target;
  const model = state.model.byId.get(model_id ?? 0) ?? state.pool.byId.get(pool_id ?? 0);
  const name = model?.name ?? gone_model;
  if (name === null) throw new Error(`target ${id} refers to no model, pool or frontend model`);
  return { id, provider_model_id: model_id, model_pool_id: pool_id, model: name, position };
}

/** The newest target has the highest id. */
export function newTargetIn(state: ConfigState, targets: readonly Target[]): TargetRecord {
  const [newest] = targets.toSorted((a, b) => b.id - a.id);
  if (newest === undefined) throw new Error('no target is there right after one was added');
  return targetRowIn(state, newest);
}
