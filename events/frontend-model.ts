// Defines the events of frontend models: rules with their conditions, targets and defaults
// (specification, "Frontend model, rule, target, pool" and "Condition fields"). References are ids;
// a deleted model is referenced by its last name.

import { z } from 'zod';

import { storedConditions } from '../src/conditions/schemas.ts';
import { frontendModelId, modelId, poolId, ruleId, targetId } from '../src/lib/ids.ts';
import { ruleAction } from '../src/lib/vocabulary.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Exactly one of the three is set: a provider model, a pool, or the name of a deleted model. */
export const storedTarget = z.object({
  id: targetId,
  model_id: modelId.nullable(),
  pool_id: poolId.nullable(),
  gone_model: z.string().nullable(),
  position: z.int().nonnegative(),
});
export type Target = Readonly<z.output<typeof storedTarget>>;

/** A rule without its targets. */
export const storedRule = z.object({
  id: ruleId,
  position: z.int().nonnegative(),
  action: ruleAction,
  conditions: storedConditions,
  deny_status: z.int().min(400).max(499).nullable(),
  deny_message: z.string().nullable(),
  jump_to: frontendModelId.nullable(),
  tag: z.string().nullable(),
  name: z.string().optional(),
  /** Absent when the rule is enabled. */
  enabled: z.literal(false).optional(),
});
export type StoredRule = Readonly<z.output<typeof storedRule>>;

const id = frontendModelId;
const targets = z.array(storedTarget).readonly();

export const frontendModelEvents = {
  FrontendModelCreated: {
    touchesSnapshot: true,
    data: z.object({
      id,
      name: z.string(),
      description: z.string().nullable(),
      max_model_len: z.int().positive().nullable(),
    }),
  },
  FrontendModelRenamed: setter({ id, name: z.string() }),
  FrontendModelDescribed: setter(
    { id, description: z.string().nullable() },
    { touchesSnapshot: false },
  ),
  FrontendModelMaxLenSet: setter({ id, max_model_len: z.int().positive().nullable() }),
  FrontendModelRuleAdded: {
    touchesSnapshot: true,
    data: z.object({ id, rule: storedRule, targets }),
  },
  FrontendModelRuleChanged: { touchesSnapshot: true, data: z.object({ id, rule: storedRule }) },
  FrontendModelRuleRemoved: { touchesSnapshot: true, data: z.object({ id, rule_id: ruleId }) },
  /** Replaces all targets of a rule, or the frontend model's defaults if `rule_id` is null. */
  FrontendModelTargetsSet: {
    touchesSnapshot: true,
    data: z.object({ id, rule_id: ruleId.nullable(), targets }),
  },
  /** The provider model is being deleted. Targets that used it keep its name. */
  FrontendModelTargetLost: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  /** A provider model with that name exists again. Targets that kept the name now use it. */
  FrontendModelTargetFound: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  FrontendModelDeleted: { touchesSnapshot: true, data: z.object({ id }) },
} as const satisfies Record<string, EventDefinition>;

export type FrontendModelEvent = EventOf<typeof frontendModelEvents>;
