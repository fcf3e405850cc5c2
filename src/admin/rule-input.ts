// A rule as it is given: its conditions lie flat on it, and what is malformed is refused by the name of the field (Gateway rule 8).

import { z } from 'zod';

import { rulesMax } from '../deciders/rule.ts';
import type { ListedRule, RuleFields } from '../deciders/rule.ts';
import { targetsMax } from '../deciders/target.ts';
import type { TargetInput } from '../deciders/target.ts';
import { requestsOrNoneField, spentField, tokensOrNoneField } from '../lib/amounts.ts';
import { denyMessageField, headersField, ruleNameField, tagField } from '../lib/fields.ts';
import { frontendModelId, modelId, poolId, principalId, ruleId, targetId } from '../lib/ids.ts';
import { ruleAction } from '../lib/vocabulary.ts';

export const positionField = z.int().nonnegative().max(1_000_000);
/** What is listed as gone may be sent back, too. */
export const modelReference = z.string().min(1).max(200);

const targetFields = z.strictObject({
  /** Accepted as it was listed: a target keeps its id for as long as it refers to the same. */
  id: targetId.optional(),
  provider_model_id: modelId.nullable().optional(),
  model_pool_id: poolId.nullable().optional(),
  model: modelReference.optional(),
  position: positionField.optional(),
});

/** In a list, a part may be the name of its model alone. */
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

const tokens = tokensOrNoneField.nullable().optional();
const cost = spentField.nullable().optional();
const percent = z.int().min(0).max(100).nullable().optional();

/** The text that was wrong, shortened: a time is no secret. */
const shown = (text: unknown): string => JSON.stringify(String(text).slice(0, 50));

/** Minutes since midnight. */
const timeField = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, {
    error: ({ input }) => `must be a time from 00:00 to 23:59, was ${shown(input)}`,
  })
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)))
  .nullable()
  .optional();

const conditionFields = {
  principals: z.array(principalId).max(1_000).nullable().optional(),
  roles: z.array(modelReference).max(1_000).nullable().optional(),
  min_prompt_tokens: tokens,
  max_prompt_tokens: tokens,
  min_max_tokens: tokens,
  max_max_tokens: tokens,
  stream: z.boolean().nullable().optional(),
  headers: headersField.nullable().optional(),
  min_budget_used_percent: percent,
  max_budget_used_percent: percent,
  max_inflight_per_backend: requestsOrNoneField.nullable().optional(),
  class: modelReference.nullable().optional(),
  min_request_cost_micros: cost,
  max_request_cost_micros: cost,
  after: timeField,
  before: timeField,
  days: z.array(z.int().min(1).max(7)).max(7).nullable().optional(),
  utc_offset_minutes: z.int().min(-1_440).max(1_440).nullable().optional(),
};

const ruleFields = {
  name: ruleNameField.nullable().optional(),
  /** A disabled rule keeps its place and is skipped. */
  enabled: z.boolean().optional(),
  position: positionField.optional(),
  action: ruleAction.optional(),
  ...conditionFields,
  targets: targetsField.optional(),
  deny_status: z.int().min(400).max(499).nullable().optional(),
  deny_message: denyMessageField.nullable().optional(),
  jump_to: frontendModelId.nullable().optional(),
  tag: tagField.nullable().optional(),
};

/** As it is added or changed: what is absent has its default or is left alone, null clears. */
export const ruleField = z.strictObject(ruleFields);

/** Of a whole list, in the order of evaluation, which gives the positions: one that is sent back as it was listed is not read. */
const listedRule = z.strictObject({ id: ruleId.optional(), ...ruleFields });
export const rulesField = z.array(listedRule).max(rulesMax);

export const toListedRules = (given: z.output<typeof rulesField>): ListedRule[] =>
  given.map((rule) => ({ ...toRuleFields(rule), id: rule.id }));

export function toRuleFields(
  given: z.output<typeof ruleField>,
): RuleFields & { position: number | undefined } {
  const { name, enabled, position, action, targets, ...others } = given;
  const { deny_status, deny_message, jump_to, tag, after, before, ...plain } = others;
  const conditions = { ...plain, after_minute: after, before_minute: before };
  const outcome = { action, targets, deny_status, deny_message, jump_to, tag };
  return { name, enabled, position, ...outcome, conditions };
}
