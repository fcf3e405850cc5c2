// Describes pools and frontend models in the format of files: by name, without references to
// deleted entities.

import type { Target } from '../../../events/frontend-model.ts';
import type { Rule } from '../../../projections/config/frontend-model.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { ConditionValues } from '../../conditions/table.ts';
import { toRecord } from '../../conditions/values.ts';

export type ExportedRouting = Readonly<{
  state: ConfigState;
  nameOf: (principal: Principal) => string;
  /** Receives one line per part that was left out. */
  warnings: string[];
}>;

const inOrder = <Entity extends Readonly<{ id: number }>>(
  byId: ReadonlyMap<number, Entity>,
): readonly Entity[] => [...byId.values()].toSorted((a, b) => a.id - b.id);

export const exportedPools = ({ state, warnings }: ExportedRouting) =>
  inOrder(state.pool.byId).map(({ name, description, policy, members }) => ({
    name,
    description,
    policy,
    members: members.flatMap(({ model_id: id, gone_model: gone, weight }) => {
      const model = state.model.byId.get(id ?? 0)?.name;
      if (model === undefined) warnings.push(`member ${gone} of pool ${name}, which was deleted`);
      return model === undefined ? [] : [{ model, weight }];
    }),
  }));

export const exportedFrontendModels = (routing: ExportedRouting) =>
  inOrder(routing.state.frontend_model.byId).map((model) => ({
    name: model.name,
    description: model.description,
    max_model_len: model.maxModelLen,
    rules: model.rules.flatMap((rule) => exportedRule(routing, model.name, rule) ?? []),
    default_targets: targetNames(routing, model.name, model.defaultTargets),
  }));

const targetNames = (
  { state, warnings }: ExportedRouting,
  owner: string,
  targets: readonly Target[],
): readonly string[] =>
  targets.flatMap(({ model_id: modelId, pool_id: poolId, gone_model: gone }) => {
    const found = state.model.byId.get(modelId ?? 0) ?? state.pool.byId.get(poolId ?? 0);
    if (found === undefined) warnings.push(`target ${gone} of ${owner}, which was deleted`);
    return found?.name ?? [];
  });

/**
 * Null if the condition names a deleted entity, so that the rule matches no request. Without the
 * condition it would match all.
 */
function exportedRule(routing: ExportedRouting, owner: string, rule: Rule) {
  const { state, warnings } = routing;
  const { conditions, jump_to: jumpTo } = rule;
  const named = namedConditions(routing, conditions);
  const {
    principals: _ids,
    roles: _roles,
    class: _class,
    ...plain
  } = toRecord(conditions, noNames);
  const jump = jumpTo === null ? null : state.frontend_model.byId.get(jumpTo)?.name;
  if (named === null || jump === undefined) {
    warnings.push(
      `rule ${rule.position} of ${owner}, which names a deleted entity and never matches`,
    );
    return null;
  }
  return {
    name: rule.name,
    enabled: rule.enabled,
    action: rule.action,
    targets: targetNames(routing, owner, rule.targets),
    deny_status: rule.deny_status,
    deny_message: rule.deny_message,
    jump_to: jump,
    tag: rule.tag,
    ...named,
    ...plain,
  };
}

const noNames = { role: String, promptClass: String };

function namedConditions({ state, nameOf }: ExportedRouting, conditions: ConditionValues) {
  const principals = conditions.principals.flatMap((id) => {
    const principal = state.principal.byId.get(id);
    return principal === undefined ? [] : [nameOf(principal)];
  });
  const roles = conditions.roles.flatMap((id) => state.role.byId.get(id)?.name ?? []);
  const asksCaller = conditions.principals.length + conditions.roles.length > 0;
  if (asksCaller && principals.length + roles.length === 0) return null;
  const promptClass =
    conditions.class === null ? null : state.prompt_class.byId.get(conditions.class)?.name;
  return promptClass === undefined ? null : { principals, roles, class: promptClass };
}
