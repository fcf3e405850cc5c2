// Explains the route of a past request: routes its usage row again on the snapshot that served it.
// Lists the facts that were not recorded.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { readUsageEvent } from '../../db/usage/usage-events.ts';
import type { UsageRecord } from '../../db/usage/usage-events.ts';
import { frontendModelId, modelId, promptClassId, ruleId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PoolPolicy } from '../../lib/vocabulary.ts';
import { positionOfVersion } from '../../lib/snapshot-version.ts';
import { disagreements, recordedReasonOf } from '../../routing/agreement.ts';
import { considered } from '../../routing/considered.ts';
import type { Considered, Dropped } from '../../routing/considered.ts';
import { explainRecorded } from '../../routing/explain-recorded.ts';
import type { RecordedRequest } from '../../routing/explain-recorded.ts';
import type { Verdict } from '../../routing/explain.ts';
import type { Route } from '../../routing/route.ts';
import { principalCompiler } from '../../snapshot/compile/callers.ts';
import { ruleInputs } from '../../usage/rule-inputs.ts';
import { refusalReason } from '../../usage/usage-event.ts';
import type { AskRouted, Routed } from './routed.ts';
import type { PastStates } from './states.ts';
import { notRecorded } from './unrecorded.ts';

export type ExplainedRule = Readonly<{
  frontend_model_id: number;
  frontend_model: string;
  rule_id: number;
  rule_index: number;
  action: Verdict['rule']['action'];
  /** True for the first matching rule of its frontend model. */
  decides: boolean;
  failed: readonly string[];
  /** Fields that the row does not contain. */
  unknown: readonly string[];
  jump_lost: boolean;
}>;

export type ExplainedCandidate = Readonly<{
  model_id: number;
  model: string;
  provider: string | null;
  /** The pool of the candidate. */
  pool: string | null;
  pool_policy: PoolPolicy | null;
  weight: number | null;
  fallback: boolean;
  /** Null if it was not dropped. */
  dropped: Dropped | null;
  window_too_small: boolean;
  /** Micro-units, at the prices of that time. */
  estimated_cost_micros: number | null;
  /** True if it answered, or would have. */
  answered: boolean;
}>;

export type UsageExplanation = Readonly<{
  usage: UsageRecord;
  snapshot_version: number;
  /** Null if the name is unknown. */
  route: string | null;
  frontend_model: string | null;
  rule_id: number | null;
  tag: string | null;
  denied: Readonly<{ status: number; message: string }> | null;
  rules: readonly ExplainedRule[];
  candidates: readonly ExplainedCandidate[];
  agrees: boolean;
  differences: readonly string[];
  not_recorded: readonly string[];
}>;

type Dependencies = Readonly<{ db: Queryable; past: PastStates; routed: AskRouted }>;

/** Refuses a missing row, and one whose snapshot belongs to another log. */
export async function explainUsage(
  { db, past, routed }: Dependencies,
  id: string,
): Promise<UsageExplanation | Refusal> {
  const usage = await readUsageEvent(db, id);
  if (usage === null) return refuse('absent', `usage row ${id} does not exist or was rolled up`);
  const state = await servedState(past, usage);
  return isRefusal(state) ? state : explainRow(await routed.ofState(state), usage);
}

/** The configuration that served a request. Refuses one of another log. */
export async function servedState(
  past: PastStates,
  { snapshot_version: version }: Pick<UsageRecord, 'snapshot_version'>,
): Promise<ConfigState | Refusal> {
  if (version === 0)
    return refuse('conflict', 'the usage row does not name the snapshot that served it');
  const position = positionOfVersion(version);
  const state = await past.at({ position }, 'snapshot_version');
  const isOther = isRefusal(state) ? state.refused === 'absent' : state.version !== version;
  if (!isOther) return state;
  return refuse(
    'conflict',
    `snapshot version ${version} of the usage row belongs to a different log`,
  );
}

export function explainRow(
  { snapshot, tables }: Routed,
  usage: UsageRecord,
): UsageExplanation | Refusal {
  const principal = snapshot.config.principals.find(({ id }) => id === usage.principal_id);
  if (principal === undefined) {
    const which = `principal ${usage.principal_id} of the usage row`;
    return refuse('conflict', `${which} is not in snapshot version ${snapshot.version}`);
  }
  const caller = principalCompiler(snapshot, tables.models)(principal);
  const request = recordedRequest(usage);
  const { route, verdicts } = explainRecorded(tables, caller, request);
  const listed = considered(tables, route.decision, { caller, request });
  const recorded = recordedOutcome(usage);
  const differences = disagreements(route, recorded);
  const providers = new Map(snapshot.config.providers.map(({ id, name }) => [id, name]));
  return {
    usage,
    snapshot_version: snapshot.version,
    route: recordedReasonOf(route, recorded),
    frontend_model: route.decision?.frontendModel?.name ?? null,
    rule_id: route.decision?.rule?.id ?? null,
    tag: route.decision?.tag ?? null,
    denied: deniedOf(route),
    rules: verdicts.map(toRule),
    candidates: listed.map((one) => toCandidate(one, { providers, usage })),
    agrees: differences.length === 0,
    differences,
    not_recorded: notRecorded(usage, verdicts, listed),
  };
}

export const recordedRequest = (usage: UsageRecord): RecordedRequest => ({
  model: usage.virtual_model,
  isStream: usage.stream,
  promptEstimate: usage.prompt_estimate,
  maxTokens: usage.max_tokens,
  promptClass: usage.prompt_class_id === null ? null : promptClassId.parse(usage.prompt_class_id),
  atMs: usage.at.getTime(),
  budgetPercent: usage.budget_percent,
  inputs: ruleInputs.nullable().parse(usage.rule_inputs),
  route: usage.route,
  ruleId: usage.rule_id === null ? null : ruleId.parse(usage.rule_id),
});

const recordedOutcome = (usage: UsageRecord) => ({
  route: usage.route,
  ruleId: usage.rule_id === null ? null : ruleId.parse(usage.rule_id),
  frontendModelId:
    usage.frontend_model_id === null ? null : frontendModelId.parse(usage.frontend_model_id),
  tag: usage.tag,
  status: usage.status,
  refusal: usage.refusal === null ? null : refusalReason.parse(usage.refusal),
  modelId: usage.model_id === null ? null : modelId.parse(usage.model_id),
});

function deniedOf(route: Route): UsageExplanation['denied'] {
  if (route.kind === 'deny') return { status: route.status, message: route.message };
  if (route.kind !== 'ungranted') return null;
  return { status: 403, message: `the caller may not invoke ${route.model.name}` };
}

const toRule = ({ frontendModel, rule, ...verdict }: Verdict): ExplainedRule => ({
  frontend_model_id: frontendModel.id,
  frontend_model: frontendModel.name,
  rule_id: rule.id,
  rule_index: rule.index,
  action: rule.action,
  decides: verdict.isDeciding,
  failed: verdict.failed,
  unknown: verdict.unknown,
  jump_lost: verdict.isJumpLost,
});

type Names = Readonly<{ providers: ReadonlyMap<number, string>; usage: UsageRecord }>;

function toCandidate(
  { model, pool, weight, ...one }: Considered,
  { providers, usage }: Names,
): ExplainedCandidate {
  const [backend] = model.backends;
  return {
    model_id: model.id,
    model: model.name,
    provider: backend === undefined ? null : (providers.get(backend.providerId) ?? null),
    pool: pool?.name ?? null,
    pool_policy: pool?.policy ?? null,
    weight,
    fallback: one.isFallback,
    dropped: one.dropped,
    window_too_small: one.isSmall,
    estimated_cost_micros: one.costMicros,
    answered: one.dropped === null && model.id === usage.model_id,
  };
}
