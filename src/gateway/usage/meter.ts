// Builds the usage row of a request with a principal. There is one for each request that a backend answered, that was
// refused for a grant, budget, rate or backend, or whose client disconnected (specification, "Usage event").

import type { ProviderId } from '../../lib/ids.ts';
import type { SpentRow } from '../../limits/spending.ts';
import type { RoutedRequest } from '../../routing/request.ts';
import type { Decision, Route } from '../../routing/route.ts';
import type { CompiledSnapshot } from '../../snapshot/compile.ts';
import type { Caller } from '../../snapshot/compile/callers.ts';
import type { CompiledModel } from '../../snapshot/compile/models.ts';
import type { UsageCounts, UsageReport } from '../../usage/counts.ts';
import { matchedHeadersMax } from '../../usage/usage-event.ts';
import type { RuleInputs } from '../../usage/rule-inputs.ts';
import type { RefusalReason, UsageEvent } from '../../usage/usage-event.ts';
import type { Exchange } from '../transport/boundary.ts';

/** Does not wait. Rows that do not fit are dropped and counted. `spent` is null without a budget. */
export type UsageSink = (event: UsageEvent, spent: SpentRow | null) => void;

/** The part of a request record that the usage row needs. */
export type Metered = Readonly<{
  generation: Readonly<{ snapshot: Pick<CompiledSnapshot, 'version'> }>;
  exchange: Pick<Exchange, 'id' | 'startedMs' | 'path'>;
  caller: Caller;
  request: Pick<
    RoutedRequest,
    'model' | 'isStream' | 'promptEstimate' | 'maxTokens' | 'promptClass'
  >;
  route: Pick<Route, 'decision'>;
  ruleInputs: RuleInputs | null;
}>;

export type MeteredOutcome = Readonly<{
  status: number | null;
  refusal: RefusalReason | null;
  model: Pick<CompiledModel, 'id' | 'name' | 'prices'> | null;
  providerId: ProviderId | null;
  route: string | null;
  usage: UsageReport | null;
  /** Set when no usage was reported. Null when nothing was forwarded. */
  estimate: UsageCounts | null;
  attempts: number;
  isCached?: boolean;
  durationMs: number;
  firstTokenMs: number | null;
}>;

/** Null for a caller without a principal, whose usage is not recorded. `stamp` formats epoch milliseconds as RFC 3339. */
export function usageEvent(
  { generation, exchange, caller, request, route, ruleInputs }: Metered,
  outcome: MeteredOutcome,
  stamp: (epochMs: number) => string,
): UsageEvent | null {
  const { decision } = route;
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
    virtual_model: request.model,
    path: exchange.path,
    snapshot_version: generation.snapshot.version,
    route: outcome.route ?? decision?.reason ?? null,
    tag: decision?.tag ?? null,
    frontend_model_id: decision?.frontendModel?.id ?? null,
    rule_id: decision?.rule?.id ?? null,
    prompt_class_id: request.promptClass,
    budget_percent: caller.budgetUsedPercent < 0 ? null : caller.budgetUsedPercent,
    matched_headers: headersMatched(decision),
    rule_inputs: ruleInputs,
    stream: request.isStream,
    status: outcome.status,
    refusal: outcome.refusal,
    prompt_tokens: counts?.promptTokens ?? 0,
    completion_tokens: counts?.completionTokens ?? 0,
    cache_read_tokens: counts?.cacheReadTokens ?? null,
    cache_write_5m_tokens: counts?.cacheWrite5mTokens ?? null,
    cache_write_1h_tokens: counts?.cacheWrite1hTokens ?? null,
    input_audio_tokens: counts?.inputAudioTokens ?? null,
    input_image_tokens: counts?.inputImageTokens ?? null,
    reasoning_tokens: counts?.reasoningTokens ?? null,
    output_audio_tokens: counts?.outputAudioTokens ?? null,
    output_image_tokens: counts?.outputImageTokens ?? null,
    server_tool_calls: counts?.serverToolCalls ?? null,
    units: counts?.units ?? null,
    service_tier: counts?.serviceTier ?? null,
    usage_reported: usage !== null,
    usage_estimated: usage === null && estimate !== null,
    reported_cost_micros: usage?.costMicros ?? null,
    cached: outcome.isCached ?? false,
    duration_ms: Math.round(outcome.durationMs),
    ttft_ms: outcome.firstTokenMs === null ? null : Math.round(outcome.firstTokenMs),
    attempts: outcome.attempts,
    prompt_estimate: request.promptEstimate,
    max_tokens: request.maxTokens,
  };
}

const noHeaders: readonly string[] = [];

function headersMatched(decision: Decision | null): readonly string[] {
  const headers = decision?.rule?.headerNames ?? noHeaders;
  return headers.length <= matchedHeadersMax ? headers : headers.slice(0, matchedHeadersMax);
}
