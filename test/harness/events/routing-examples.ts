// Builds events on frontend models and pools for examples, one short call each.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredRule, Target } from '../../../events/frontend-model.ts';
import type { PoolMember } from '../../../events/pool.ts';
import type { ConditionValues } from '../../../src/conditions/table.ts';
import { noConditions } from '../../../src/conditions/values.ts';
import type { TargetInput } from '../../../src/deciders/target.ts';
import {
  frontendModelId,
  modelId,
  poolId,
  poolMemberId,
  ruleId,
  targetId,
} from '../../../src/lib/ids.ts';

export const frontendModelCreated = (number: number, name: string): GwEvent => ({
  stream: `frontend_model-${number}`,
  type: 'FrontendModelCreated',
  data: { id: frontendModelId.parse(number), name, description: null, max_model_len: null },
});

export const frontendModelDeleted = (number: number): GwEvent => ({
  stream: `frontend_model-${number}`,
  type: 'FrontendModelDeleted',
  data: { id: frontendModelId.parse(number) },
});

type On = { model: number } | { pool: number } | { gone: string };

export const target = (number: number, position: number, on: On): Target => ({
  id: targetId.parse(number),
  model_id: 'model' in on ? modelId.parse(on.model) : null,
  pool_id: 'pool' in on ? poolId.parse(on.pool) : null,
  gone_model: 'gone' in on ? on.gone : null,
  position,
});

type RuleFacts = Partial<Omit<StoredRule, 'id' | 'conditions'>> & {
  conditions?: Partial<ConditionValues>;
};

/** A routing rule without conditions, with the given fields replaced. */
export const storedRule = (
  number: number,
  { conditions, ...facts }: RuleFacts = {},
): StoredRule => ({
  id: ruleId.parse(number),
  position: 0,
  action: 'route',
  conditions: { ...noConditions, ...conditions },
  deny_status: null,
  deny_message: null,
  jump_to: null,
  tag: null,
  ...facts,
});

export const ruleAdded = (
  model: number,
  rule: StoredRule,
  targets: readonly Target[] = [],
): GwEvent => ({
  stream: `frontend_model-${model}`,
  type: 'FrontendModelRuleAdded',
  data: { id: frontendModelId.parse(model), rule, targets },
});

export const ruleChanged = (model: number, rule: StoredRule): GwEvent => ({
  stream: `frontend_model-${model}`,
  type: 'FrontendModelRuleChanged',
  data: { id: frontendModelId.parse(model), rule },
});

export const ruleRemoved = (model: number, rule: number): GwEvent => ({
  stream: `frontend_model-${model}`,
  type: 'FrontendModelRuleRemoved',
  data: { id: frontendModelId.parse(model), rule_id: ruleId.parse(rule) },
});

/** Sets the targets of a rule, or the default targets (null). */
export const targetsSet = (
  model: number,
  rule: number | null,
  targets: readonly Target[],
): GwEvent => ({
  stream: `frontend_model-${model}`,
  type: 'FrontendModelTargetsSet',
  data: {
    id: frontendModelId.parse(model),
    rule_id: rule === null ? null : ruleId.parse(rule),
    targets,
  },
});

export const targetLost = (frontend: number, model: number, name: string): GwEvent => ({
  stream: `frontend_model-${frontend}`,
  type: 'FrontendModelTargetLost',
  data: { id: frontendModelId.parse(frontend), model_id: modelId.parse(model), model: name },
});

export const targetFound = (frontend: number, model: number, name: string): GwEvent => ({
  stream: `frontend_model-${frontend}`,
  type: 'FrontendModelTargetFound',
  data: { id: frontendModelId.parse(frontend), model_id: modelId.parse(model), model: name },
});

export const poolCreated = (number: number, name: string): GwEvent => ({
  stream: `pool-${number}`,
  type: 'PoolCreated',
  data: { id: poolId.parse(number), name, description: null, policy: null },
});

export const poolDeleted = (number: number): GwEvent => ({
  stream: `pool-${number}`,
  type: 'PoolDeleted',
  data: { id: poolId.parse(number) },
});

export const poolMember = (
  number: number,
  position: number,
  on: { model: number } | { gone: string },
  weight = 1,
): PoolMember => ({
  id: poolMemberId.parse(number),
  model_id: 'model' in on ? modelId.parse(on.model) : null,
  gone_model: 'gone' in on ? on.gone : null,
  weight,
  position,
});

export const membersSet = (pool: number, members: readonly PoolMember[]): GwEvent => ({
  stream: `pool-${pool}`,
  type: 'PoolMembersSet',
  data: { id: poolId.parse(pool), members },
});

export const memberLost = (pool: number, model: number, name: string): GwEvent => ({
  stream: `pool-${pool}`,
  type: 'PoolMemberLost',
  data: { id: poolId.parse(pool), model_id: modelId.parse(model), model: name },
});

export const memberFound = (pool: number, model: number, name: string): GwEvent => ({
  stream: `pool-${pool}`,
  type: 'PoolMemberFound',
  data: { id: poolId.parse(pool), model_id: modelId.parse(model), model: name },
});

/** A target that names its model or pool. */
export const named = (name: string, position: number | null = null): TargetInput => ({
  modelId: null,
  poolId: null,
  name,
  position,
});
