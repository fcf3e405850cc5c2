// Ends a request: answers the client when there is nothing to relay, updates the metrics, and records the usage row.

import type { Amount } from '../limits/spending.ts';
import { headerText } from '../lib/header-text.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { observe } from '../telemetry/histogram.ts';
import type { Outcome } from '../telemetry/metrics.ts';
import { chargeMicros } from '../usage/cost.ts';
import { isChargedToBudgets } from '../usage/price.ts';
import { pricesAt } from '../usage/price-versions.ts';
import { estimateAnswer } from '../usage/estimate-answer.ts';
import type { Forwarded } from '../usage/estimate-answer.ts';
import { tokenParts } from '../usage/counts.ts';
import type { UsageCounts, UsageReport } from '../usage/counts.ts';
import type { RefusalReason } from '../usage/usage-event.ts';
import { answerJson, answerRefusal, idHeaders, rejectionOf } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { CachedAnswer } from './cache/cache.ts';
import type { ModelTraffic } from './generation.ts';
import type { HeldAnswer } from './held-answer.ts';
import { usageEvent } from './usage/meter.ts';
import type { MeteredOutcome } from './usage/meter.ts';
import type { Step } from './plan.ts';
import { upstreamError } from './refusals.ts';
import { cacheMiss, headOf, missedBy } from './relay.ts';
import type { Relay } from './relay.ts';
import { noteAnswer, noteServed } from './traced.ts';
import { appendAnswerHeaders, withoutHeader } from './transport/header-policy.ts';
import type { Walk } from './walk.ts';

/** `attempts` counts the attempts at backends. */
export type Conclusion =
  /** An answer was relayed, completely or not. `relay` is null when the client disconnected before. */
  | Readonly<{
      kind: 'relayed';
      step: Step;
      relay: Relay | null;
      usage: UsageReport | null;
      isBroken: boolean;
      attempts: number;
    }>
  /** The chain is exhausted, and the client gets the last answer. `body` is null when it is incomplete. */
  | Readonly<{
      kind: 'held';
      held: HeldAnswer;
      body: Buffer | null;
      attempts: number;
    }>
  /** Answered from the response cache. `route` is the value of x-gw-route. */
  | Readonly<{ kind: 'cached'; answer: CachedAnswer; model: CompiledModel; route: string }>
  /** `reason` is null when there is no usage row. `model` would have answered. */
  | Readonly<{
      kind: 'refused';
      refusal: GatewayRefusal;
      reason: RefusalReason | null;
      model: CompiledModel | null;
      attempts: number;
    }>;

export const refused = (
  refusal: GatewayRefusal,
  reason: RefusalReason | null = null,
  model: CompiledModel | null = null,
  attempts = 0,
): Conclusion => ({ kind: 'refused', refusal, reason, model, attempts });

export function conclude(walk: Walk, conclusion: Conclusion): void {
  const { context, exchange } = walk;
  const status = answer(walk, conclusion);
  if (conclusion.kind === 'refused' && conclusion.reason === null) return;
  const step = stepOf(conclusion);
  const relay = conclusion.kind === 'relayed' ? conclusion.relay : null;
  const cached = conclusion.kind === 'cached' ? conclusion.answer : null;
  // A cache hit counts against a token budget like the original answer, and costs nothing (Gateway rule 9).
  const usage = conclusion.kind === 'relayed' ? conclusion.usage : (cached?.usage ?? null);
  const outcome: MeteredOutcome = {
    status,
    refusal: conclusion.kind === 'refused' ? conclusion.reason : null,
    model: 'model' in conclusion ? conclusion.model : (step?.model.model ?? null),
    providerId: (step?.backend.backend ?? cached)?.providerId ?? null,
    route: conclusion.kind === 'cached' ? conclusion.route : (step?.route ?? null),
    usage,
    estimate: usage === null ? estimateOf(walk, relay?.forwarded ?? forwardedOf(cached)) : null,
    attempts: conclusion.kind === 'cached' ? 0 : conclusion.attempts,
    isCached: cached !== null,
    durationMs: context.monotonic() - exchange.startedAt,
    firstTokenMs: relay?.firstTokenMs ?? null,
  };
  if (step !== null) {
    const served = conclusion.kind === 'held' ? conclusion.held.head.status : status;
    noteServed(exchange, step, { status: served, attempts: outcome.attempts });
    if (served !== null) countServed(walk, step, outcome);
  }
  if (conclusion.kind !== 'refused') {
    countEnd(walk, isFailed(conclusion) ? 'upstream_error' : 'ok', outcome.durationMs);
  }
  record(walk, outcome);
}

function stepOf(conclusion: Conclusion): Step | null {
  if (conclusion.kind === 'relayed') return conclusion.step;
  return conclusion.kind === 'held' ? conclusion.held.step : null;
}

const isFailed = (conclusion: Conclusion): boolean =>
  conclusion.kind === 'held' ||
  (conclusion.kind === 'relayed' &&
    (conclusion.isBroken || (conclusion.relay?.head.status ?? 0) >= 500));

const forwardedOf = (cached: CachedAnswer | null): Forwarded | null =>
  cached === null ? null : { bytes: cached.body.length, tail: null, isStream: false };

/** Null when nothing was forwarded, or the tokens of the route cannot be estimated. */
const estimateOf = ({ proxied, peeked }: Walk, forwarded: Forwarded | null): UsageCounts | null =>
  forwarded === null ? null : estimateAnswer(proxied.countable, peeked.promptEstimate, forwarded);

/**
 * Does nothing if an attempt already answered. Returns the status that the client received, or
 * null.
 */
function answer(walk: Walk, conclusion: Conclusion): number | null {
  const { exchange, limitHeaders } = walk;
  switch (conclusion.kind) {
    case 'relayed':
      return conclusion.relay?.head.status ?? null;
    case 'held':
      answerHeld(walk, conclusion.held, conclusion.body);
      return exchange.isGone ? null : conclusion.held.head.status;
    case 'cached': {
      const { answer, model, route } = conclusion;
      const head = [...idHeaders(exchange), 'x-gw-route', route];
      head.push('x-gw-served-model', headerText(model.name), 'x-gw-cache', 'hit');
      head.push(...limitHeaders, ...answer.headers);
      exchange.answer(answer.status, head, answer.body);
      return exchange.isGone ? null : answer.status;
    }
    case 'refused':
      refuse(walk, conclusion.refusal);
      noteAnswer(exchange, conclusion.refusal.status, conclusion.attempts);
      return exchange.isGone ? null : conclusion.refusal.status;
  }
}

function answerHeld(walk: Walk, { step, head }: HeldAnswer, body: Buffer | null): void {
  const { exchange, limitHeaders } = walk;
  const { status, headers } = head;
  if (body === null) {
    const refusal = upstreamError(status, missedBy(walk, step) === null ? [] : cacheMiss);
    return answerRefusal(exchange, refusal, limitHeaders);
  }
  const answerHeaders = headOf(walk, step);
  appendAnswerHeaders(answerHeaders, withoutHeader(headers, 'content-length'));
  exchange.answer(status, answerHeaders, body);
}

/** The part of a request record that a refusal needs. Early refusals have no limit headers. */
type Refusable = Pick<Walk, 'context' | 'exchange'> & Partial<Pick<Walk, 'limitHeaders'>>;

/** Refuses without a usage row. */
export function refuse(request: Refusable, refusal: GatewayRefusal): void {
  const { context, exchange } = request;
  noteAnswer(exchange, refusal.status);
  const rejection = rejectionOf(refusal.reason);
  if (rejection !== null) context.counts.rejections[rejection]++;
  countEnd(request, refusal.status >= 502 ? 'unavailable' : 'rejected');
  answerRefusal(exchange, refusal, request.limitHeaders);
}

/** Answers with the estimate that limits and rules use. No backend is called, and nothing is charged or recorded. */
export function answerCount(request: Refusable, promptEstimate: number): void {
  const { exchange } = request;
  noteAnswer(exchange, 200);
  answerJson(exchange, 200, { input_tokens: promptEstimate });
  countEnd(request, 'ok');
}

function countServed({ context }: Walk, step: Step, outcome: MeteredOutcome): void {
  const { durationMs, firstTokenMs, usage } = outcome;
  const { traffic } = step.model;
  traffic.requests++;
  observe(traffic.durations, durationMs);
  if (firstTokenMs !== null) {
    observe(traffic.firstToken, firstTokenMs);
    observe(context.counts.firstToken, firstTokenMs);
  }
  if (usage !== null) {
    countTokens(traffic, usage);
    if (usage.isClamped) context.counts.usageClamped++;
  }
  if (step.isFallback) context.counts.fallbackUsed++;
}

const partKeys = tokenParts.map(({ key }) => key);

function countTokens(traffic: ModelTraffic, usage: UsageReport): void {
  traffic.promptTokens += usage.promptTokens;
  traffic.completionTokens += usage.completionTokens;
  for (let index = 0; index < partKeys.length; index++) {
    const key = partKeys[index];
    const count = key === undefined ? null : usage[key];
    if (count !== null) traffic.parts[index] = (traffic.parts[index] ?? 0) + count;
  }
}

function countEnd(
  { context, exchange }: Refusable,
  outcome: Outcome,
  durationMs = context.monotonic() - exchange.startedAt,
): void {
  const { counts } = context;
  counts.outcomes[outcome]++;
  if (outcome === 'upstream_error' || outcome === 'unavailable') counts.requestsFailed++;
  observe(counts.requestDuration, durationMs);
}

function record(walk: Walk, outcome: MeteredOutcome): void {
  const { exchange, hold, context } = walk;
  const { log, usage, spending, stamp } = context;
  const event = usage === null ? null : usageEvent(walk, outcome, stamp);
  if (event !== null) {
    const spent =
      hold === null ? null : spending.conclude(hold, amountOf(outcome, exchange.startedMs));
    usage?.(event, spent);
  }
  const { status, route } = outcome;
  log.debug({ request_id: exchange.requestId, status, route }, 'request served');
}

/** The amount that the control plane will count, at the prices that this replica knows. */
function amountOf({ usage, estimate, model, isCached }: MeteredOutcome, atMs: number): Amount {
  const counts = usage ?? estimate;
  if (counts === null) return nothingUsed;
  const prices = pricesAt(model?.prices ?? [], atMs);
  const isCharged = isCached !== true && isChargedToBudgets(prices);
  return {
    tokens: counts.promptTokens + counts.completionTokens,
    micros: isCharged ? (usage?.costMicros ?? chargeMicros(counts, prices) ?? 0) : 0,
  };
}

const nothingUsed: Amount = { tokens: 0, micros: 0 };
