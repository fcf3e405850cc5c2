// Makes the usage row of a request: one for each request with a principal that a backend
// answered, that was refused for want of a grant, a budget, a rate or a backend, or that its client left
// (specification, "Usage event").

import type { PromptClassId, ProviderId } from '../lib/ids.ts';
import type { Hold } from '../limits/spending.ts';
import type { Decision } from '../routing/route.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { TokenEstimate } from '../usage/estimate-answer.ts';
import type { ReportedUsage } from '../usage/tail.ts';
import { matchedHeadersMax } from '../usage/usage-event.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import type { RefusalReason, UsageEvent } from '../usage/usage-event.ts';
import type { Peeked } from './peek.ts';
import type { Exchange } from './transport/boundary.ts';

/** Takes a row and never waits; what it cannot take it drops and counts. */
export type UsageSink = (event: UsageEvent) => void;

/** What is known of a request once its body has been read. */
export type MeteredRequest = Readonly<{
  exchange: Exchange;
  caller: Caller;
  peeked: Peeked;
  snapshotVersion: number;
  /** Null when the name is not known. */
  decision: Decision | null;
  promptClass: PromptClassId | null;
  ruleInputs: RuleInputs | null;
  /** How the budget of its caller counts it while it is in flight; null before it is admitted, and without a budget. */
  hold: Hold | null;
}>;

/** The part of it that a row tells. */
type Told = Omit<MeteredRequest, 'exchange' | 'peeked' | 'hold'> &
  Readonly<{
    exchange: Pick<Exchange, 'id' | 'startedMs' | 'path'>;
    peeked: Pick<Peeked, 'model' | 'isStream' | 'promptEstimate' | 'maxTokens'>;
  }>;

/** How it ended. */
export type MeteredOutcome = Readonly<{
  status: number | null;
  refusal: RefusalReason | null;
  model: Pick<CompiledModel, 'id' | 'name' | 'prices'> | null;
  providerId: ProviderId | null;
  route: string | null;
  usage: ReportedUsage | null;
  /** Where no usage was reported; null when nothing of an answer was forwarded. */
  estimate: TokenEstimate | null;
  attempts: number;
  /** Answered from the response cache. */
  isCached?: boolean;
  durationMs: number;
  firstTokenMs: number | null;
}>;

/** Null for a caller without a principal: nobody's usage is recorded. `stamp` makes RFC 3339 of epoch milliseconds. */
export function usageEvent(
  request: Told,
  outcome: MeteredOutcome,
  stamp: (epochMs: number) => string,
): UsageEvent | null {
  const { exchange, caller, peeked, decision } = request;
  if (caller.principalId === null) return null;
  const { usage, estimate, model } = outcome;
  const counts = usage ?? estimate;
  return {
    id: exchange.id,
    at: stamp(exchange.startedMs),
    principal_id: caller.principalId,
    key_id: caller.keyId,
    model_id: model?.id ?? null,
    model: model?.name ?? null,
    provider_id: outcome.providerId,
    virtual_model: peeked.model,
    path: exchange.path,
    snapshot_version: request.snapshotVersion,
    route: outcome.route ?? decision?.reason ?? null,
    tag: decision?.tag ?? null,
    frontend_model_id: decision?.frontendModel?.id ?? null,
    rule_id: decision?.rule?.id ?? null,
    prompt_class_id: request.promptClass,
    budget_percent: caller.budgetUsedPercent < 0 ? null : caller.budgetUsedPercent,
    matched_headers: headersMatched(decision),
    rule_inputs: request.ruleInputs,
    stream: peeked.isStream,
    status: outcome.status,
    refusal: outcome.refusal,
    prompt_tokens: counts?.promptTokens ?? 0,
    completion_tokens: counts?.completionTokens ?? 0,
    usage_reported: usage !== null,
    usage_estimated: usage === null && estimate !== null,
    reported_cost_micros: usage?.costMicros ?? null,
    cached: outcome.isCached ?? false,
    duration_ms: Math.round(outcome.durationMs),
    ttft_ms: outcome.firstTokenMs === null ? null : Math.round(outcome.firstTokenMs),
    attempts: outcome.attempts,
    prompt_estimate: peeked.promptEstimate,
    max_tokens: peeked.maxTokens,
  };
}

const noHeaders: readonly string[] = [];

function headersMatched(decision: Decision | null): readonly string[] {
  const headers = decision?.rule?.headerNames ?? [];
  return headers.length === 0 ? noHeaders : headers.slice(0, matchedHeadersMax);
}
