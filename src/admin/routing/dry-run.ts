// Defines the dry run of routing, on the published snapshot or on a past one.

import { z } from 'zod';

import type { Routed } from '../../control/history/routed.ts';
import { tokensOrNoneField } from '../../lib/amounts.ts';
import { timestampField } from '../../lib/fields.ts';
import { frontendModelId, modelId, principalId, ruleId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { ruleAction } from '../../lib/vocabulary.ts';
import { denialOf } from '../../routing/denial.ts';
import { dryRun } from '../../routing/dry-run.ts';
import type { DryRun } from '../../routing/dry-run.ts';
import type { Explanation, Verdict } from '../../routing/explain.ts';
import { reasonOf } from '../../routing/route.ts';
import type { Route as ChosenRoute } from '../../routing/route.ts';
import type { Snapshot, SnapshotConfig } from '../../snapshot/schema.ts';
import type { Handled } from '../http/route.ts';

const count = z.int().nonnegative();

export const dryRunQuestion = z.strictObject({
  model: z.string().min(1).max(500),
  streaming: z.boolean().default(false),
  /** Without a principal, every model may be used. */
  principal_id: principalId.nullable().default(null),
  class: z.string().max(500).nullable().default(null),
  headers: z.record(z.string(), z.string()).default({}),
  prompt_tokens: tokensOrNoneField.default(0),
  max_tokens: tokensOrNoneField.nullable().default(null),
  /** Defaults to now. */
  at: timestampField.optional(),
});
type Question = z.output<typeof dryRunQuestion>;

const candidateRecord = z.object({
  model_id: modelId,
  model: z.string(),
  provider: z.string().nullable(),
  api_base: z.string().nullable(),
  /** The x-gw-route header if this candidate answers. */
  reason: z.string(),
});

const verdictRecord = z.object({
  frontend_model_id: frontendModelId,
  frontend_model: z.string(),
  rule_id: ruleId,
  rule_index: count,
  action: ruleAction,
  matches: z.boolean(),
  /** True for the first matching rule of its frontend model. */
  decides: z.boolean(),
  /** Condition fields that the request does not meet. */
  failed: z.array(z.string()),
  /**
   * The jump was skipped because its target was deleted or the maximum number of jumps was reached.
   */
  jump_lost: z.boolean(),
});

export const dryRunRecord = z.object({
  model: z.string(),
  /** The requested prompt class, or the class of the prompt. */
  class: z.string().nullable(),
  /**
   * The frontend model that decided. Null if a provider model was named, or if the name is unknown.
   */
  frontend_model: z.string().nullable(),
  chain: z.array(candidateRecord),
  /** Only names, for other clients of this route. */
  candidates: z.array(z.string()),
  /** The index in its frontend model. Null if no rule decided. */
  rule_index: count.nullable(),
  /** Alias of rule_index. */
  matched_rule: count.nullable(),
  /** True if a frontend model was named. */
  virtual_model: z.boolean(),
  rule_id: ruleId.nullable(),
  /** The x-gw-route header. Null if the name is unknown. */
  reason: z.string().nullable(),
  /** The error that the caller would get instead of a response. */
  denied: z.object({ status: z.int(), message: z.string() }).nullable(),
  tag: z.string().nullable(),
  /** Those of the frontend models that the request passed through. */
  rules: z.array(verdictRecord),
});
type DryRunRecord = z.input<typeof dryRunRecord>;

/** `nowMs` is used unless the question contains a time. */
export function answerDryRun(
  question: Question,
  routed: Routed,
  nowMs: number,
): Handled<DryRunRecord> {
  const { snapshot } = routed;
  const asked = dryRunOf(question, snapshot, nowMs);
  if (isRefusal(asked)) return asked;
  return { body: toRecord(question, dryRun(routed, asked), snapshot.config) };
}

function dryRunOf(body: Question, { config }: Snapshot, nowMs: number): DryRun | Refusal {
  const { principal_id: id, class: className } = body;
  const principal = config.principals.find((one) => one.id === id) ?? null;
  if (id !== null && principal === null) {
    return refuse('invalid', `principal_id: principal ${id} does not exist`, {
      param: 'principal_id',
    });
  }
  const promptClass = config.prompt_classes.find(({ name }) => name === className) ?? null;
  if (className !== null && promptClass === null) {
    const message = `class: prompt class ${JSON.stringify(className)} does not exist`;
    return refuse('invalid', message, { param: 'class' });
  }
  return {
    principal,
    headers: body.headers,
    request: {
      model: body.model,
      isStream: body.streaming,
      promptEstimate: body.prompt_tokens,
      maxTokens: body.max_tokens,
      promptClass: promptClass?.id ?? null,
      nowMs: body.at === undefined ? nowMs : Date.parse(body.at),
    },
  };
}

function toRecord(
  { model, class: className }: Question,
  { route, verdicts }: Explanation,
  config: SnapshotConfig,
): DryRunRecord {
  const { decision } = route;
  const chain = chainOf(route, config);
  const index = decision?.rule?.index ?? null;
  const frontendModel = decision?.frontendModel ?? null;
  return {
    model,
    class: className,
    frontend_model: frontendModel?.name ?? null,
    chain,
    candidates: chain.map((candidate) => candidate.model),
    rule_index: index,
    matched_rule: index,
    virtual_model: frontendModel !== null,
    rule_id: decision?.rule?.id ?? null,
    reason: decision?.reason ?? null,
    denied: denialOf(route, model),
    tag: decision?.tag ?? null,
    rules: verdicts.map(toVerdict),
  };
}

function chainOf(route: ChosenRoute, { providers }: SnapshotConfig): DryRunRecord['chain'] {
  if (route.kind !== 'chain') return [];
  return route.candidates.map((candidate) => {
    const backend = candidate.backends[0];
    const provider = providers.find(({ id }) => id === backend?.providerId);
    return {
      model_id: candidate.id,
      model: candidate.name,
      provider: provider?.name ?? null,
      api_base: backend?.apiBase ?? null,
      reason: reasonOf(route, candidate),
    };
  });
}

const toVerdict = ({ frontendModel, rule, failed, isDeciding, isJumpLost }: Verdict) => ({
  frontend_model_id: frontendModel.id,
  frontend_model: frontendModel.name,
  rule_id: rule.id,
  rule_index: rule.index,
  action: rule.action,
  matches: failed.length === 0,
  decides: isDeciding,
  failed: [...failed],
  jump_lost: isJumpLost,
});
