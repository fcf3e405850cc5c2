// Parses rules from the wire. Conditions are fields of the rule itself. A refusal names the
// malformed field (Gateway rule 8).

import { z } from 'zod';

import { rulesMax, targetsMax } from '../../lib/amounts.ts';
import type { CommandOf } from '../../control/commands/execute.ts';
import { inputShape } from '../../conditions/schemas.ts';
import { denyMessageField, referenceField, ruleNameField, tagField } from '../../lib/fields.ts';
import { frontendModelId, modelId, poolId, ruleId, targetId } from '../../lib/ids.ts';
import { ruleAction } from '../../lib/vocabulary.ts';

type RuleFields = CommandOf<'AddRule'>['rule'];
type ListedRule = CommandOf<'ReplaceRules'>['rules'][number];
type TargetInput = CommandOf<'AddRuleTarget'>['target'];

export const positionField = z.int().nonnegative().max(1_000_000);
const targetFields = z.strictObject({
  /** Accepted but ignored: a target keeps its id as long as it refers to the same model or pool. */
  id: targetId.optional(),
  provider_model_id: modelId.nullable().optional(),
  model_pool_id: poolId.nullable().optional(),
  model: referenceField.optional(),
  position: positionField.optional(),
});

/** A list item may be just the name of a model. */
export const orName = <Part extends z.ZodType>(part: Part) =>
  z
    .preprocess((given) => (typeof given === 'string' ? { model: given } : given), part)
    .meta({ type: ['object', 'string'] });

export const targetField = targetFields.transform(toTarget);
export const targetsField = z.array(orName(targetField)).max(targetsMax);

function toTarget(given: z.output<typeof targetFields>): TargetInput {
  return {
    modelId: given.provider_model_id ?? null,
    poolId: given.model_pool_id ?? null,
    name: given.model ?? null,
    position: given.position ?? null,
  };
}

const ruleFields = {
  name: ruleNameField.nullable().optional(),
  /** A disabled rule keeps its position and is skipped. */
  enabled: z.boolean().optional(),
  position: positionField.optional(),
  action: ruleAction.optional(),
  ...inputShape,
  targets: targetsField.optional(),
  deny_status: z.int().min(400).max(499).nullable().optional(),
  deny_message: denyMessageField.nullable().optional(),
  jump_to: frontendModelId.nullable().optional(),
  tag: tagField.nullable().optional(),
};

/** Absent fields get their default or stay unchanged; null clears a field. */
export const ruleField = z.strictObject(ruleFields);

/** In a list, the order defines the positions. `position` is accepted but ignored. */
const listedRule = z.strictObject({ id: ruleId.optional(), ...ruleFields });
export const rulesField = z.array(listedRule).max(rulesMax);

export const toListedRules = (given: z.output<typeof rulesField>): ListedRule[] =>
  given.map((rule) => ({ ...toRuleFields(rule), id: rule.id }));

export function toRuleFields(
  given: z.output<typeof ruleField>,
): RuleFields & { position: number | undefined } {
  const { name, enabled, position, action, targets, ...others } = given;
  const { deny_status, deny_message, jump_to, tag, ...conditions } = others;
  const outcome = { action, targets, deny_status, deny_message, jump_to, tag };
  return { name, enabled, position, ...outcome, conditions };
}
