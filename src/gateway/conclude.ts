// Ends a request: answers the client when there is nothing to relay, counts the request, and records its usage row.

import type { Clock } from '../lib/clock.ts';
import type { Amount, Spending } from '../limits/spending.ts';
import { headerText } from '../lib/header-text.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { observe } from '../telemetry/histogram.ts';
import type { Log } from '../telemetry/log.ts';
import type { Counts, Outcome } from '../telemetry/metrics.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { estimateAnswer } from '../usage/estimate-answer.ts';
import type { Forwarded, TokenEstimate } from '../usage/estimate-answer.ts';
import type { RefusalReason } from '../usage/usage-event.ts';
import { answerJson, answerRefusal, idHeaders, refuseRequest, rejectionOf } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { Attempt } from './attempt.ts';
import type { CachedAnswer } from './cache.ts';
import type { HeldAnswer } from './held-answer.ts';
import { usageEvent } from './meter.ts';
import type { MeteredOutcome, MeteredRequest, UsageSink } from './meter.ts';
import type { Peeked } from './peek.ts';
import type { Plan, Step } from './plan.ts';
import { routeAt } from './routes.ts';
import { noteAnswer, noteServed } from './traced.ts';
import type { Exchange } from './transport/boundary.ts';
import { appendAnswerHeaders, withoutHeader } from './transport/header-policy.ts';

export type ConcludeContext = Readonly<{
  counts: Counts;
  /** Null when usage goes nowhere. */
  usage: UsageSink | null;
  spending: Spending;
  log: Log;
  monotonic: Clock;
  /** RFC 3339 of epoch milliseconds. */
  stamp: (epochMs: number) => string;
}>;

export type Ending = Readonly<{
  usage?: MeteredOutcome['usage'];
  isBroken?: boolean;
}>;

/** After a relay, whole or not. */
export function finish(
  context: ConcludeContext,
  request: MeteredRequest,
  plan: Plan,
  step: Step,
  attempt: Attempt,
  ending: Ending,
): void {
  const { exchange } = request;
  const durationMs = context.monotonic() - exchange.startedAt;
  const status = attempt.relayedStatus;
  const firstTokenMs =
    attempt.firstChunkAt === null ? null : attempt.firstChunkAt - exchange.startedAt;
  const usage = ending.usage ?? null;
  const estimate = usage === null ? estimateOf(request, attempt.forwarded) : null;
  noteServed(exchange, step, { status, attempts: plan.attempts });
  if (firstTokenMs !== null) observe(context.counts.firstToken, firstTokenMs);
  if (status !== null) countServed(context, step, { durationMs, firstTokenMs, usage });
  const isFailed = ending.isBroken === true || (status !== null && status >= 500);
  countEnd(context, isFailed ? 'upstream_error' : 'ok', durationMs);
  record(context, request, {
    status,
    refusal: null,
    model: step.model.model,
    providerId: step.backend.backend.providerId,
    route: step.route,
    usage,
    estimate,
    attempts: plan.attempts,
    durationMs,
    firstTokenMs,
  });
}

type Hit = Readonly<{
  answer: CachedAnswer;
  model: CompiledModel;
  route: string;
  /** For the answer, names and values in turn. */
  limitHeaders: readonly string[];
}>;

/**
 * From the response cache. The row has the counts that were reported for the answer, so that a hit
 * counts against a budget of tokens as its answer did (Gateway rule 9); it costs nothing.
 */
export function answerCached(
  context: ConcludeContext,
  request: MeteredRequest,
  { answer, model, route, limitHeaders }: Hit,
): void {
  const { exchange } = request;
  const head = [...idHeaders(exchange), 'x-gw-route', route];
  head.push('x-gw-served-model', headerText(model.name), 'x-gw-cache', 'hit');
  head.push(...limitHeaders, ...answer.headers);
  const status = exchange.isGone ? null : answer.status;
  exchange.answer(answer.status, head, answer.body);
  const durationMs = context.monotonic() - exchange.startedAt;
  countEnd(context, 'ok', durationMs);
  record(context, request, {
    status,
    refusal: null,
    model,
    providerId: answer.providerId,
    route,
    usage: answer.usage,
    estimate: answer.usage === null ? estimateOf(request, forwardedOf(answer)) : null,
    attempts: 0,
    isCached: true,
    durationMs,
    firstTokenMs: null,
  });
}

/** Answers with the estimate that limits and rules use. No backend is asked, and nothing is charged or recorded. */
export function answerCount(
  context: ConcludeContext,
  exchange: Exchange,
  { promptEstimate }: Peeked,
): void {
  noteAnswer(exchange, 200);
  answerJson(exchange, 200, { input_tokens: promptEstimate });
  countEnd(context, 'ok', context.monotonic() - exchange.startedAt);
}

/** The chain is exhausted: the client gets the last answer that came. */
export async function answerHeld(
  context: ConcludeContext,
  request: MeteredRequest,
  plan: Plan,
  held: HeldAnswer,
  limitHeaders: readonly string[],
): Promise<void> {
  const { exchange } = request;
  const { step, status } = held;
  const body = await held.body();
  if (body === null) {
    const message = `the upstream answered ${status}`;
    const refusal = refuseRequest('upstream_error', message, { headers: limitHeaders });
    answerRefusal(exchange, refusal, status);
  } else {
    const head = [...idHeaders(exchange), 'x-gw-route', step.route];
    head.push('x-gw-served-model', headerText(step.model.model.name), ...limitHeaders);
    appendAnswerHeaders(head, withoutHeader(held.headers, 'content-length'));
    exchange.answer(status, head, body);
  }
  noteServed(exchange, step, { status, attempts: plan.attempts });
  const durationMs = context.monotonic() - exchange.startedAt;
  countServed(context, step, { durationMs, firstTokenMs: null, usage: null });
  countEnd(context, 'upstream_error', durationMs);
  record(context, request, {
    status: exchange.isGone ? null : status,
    refusal: null,
    model: step.model.model,
    providerId: step.backend.backend.providerId,
    route: step.route,
    usage: null,
    estimate: null,
    attempts: plan.attempts,
    durationMs,
    firstTokenMs: null,
  });
}

export function refuse(
  context: ConcludeContext,
  exchange: Exchange,
  refusal: GatewayRefusal,
): void {
  noteAnswer(exchange, refusal.status);
  const rejection = rejectionOf(refusal.reason);
  if (rejection !== null) context.counts.rejections[rejection]++;
  const isUnavailable = refusal.status >= 502;
  countEnd(
    context,
    isUnavailable ? 'unavailable' : 'rejected',
    context.monotonic() - exchange.startedAt,
  );
  answerRefusal(exchange, refusal);
}

/** `model` is the one that would have answered; null when no candidate was left. */
export function refuseMetered(
  context: ConcludeContext,
  request: MeteredRequest,
  refusal: GatewayRefusal,
  reason: RefusalReason,
  model: MeteredOutcome['model'],
  attempts = 0,
): void {
  const { exchange } = request;
  refuse(context, exchange, refusal);
  noteAnswer(exchange, refusal.status, attempts);
  record(context, request, {
    status: exchange.isGone ? null : refusal.status,
    refusal: reason,
    model,
    providerId: null,
    route: null,
    usage: null,
    estimate: null,
    attempts,
    durationMs: context.monotonic() - exchange.startedAt,
    firstTokenMs: null,
  });
}

function countServed(
  context: ConcludeContext,
  step: Step,
  {
    durationMs,
    firstTokenMs,
    usage,
  }: Pick<MeteredOutcome, 'durationMs' | 'firstTokenMs' | 'usage'>,
): void {
  const { traffic } = step.model;
  traffic.requests++;
  observe(traffic.durations, durationMs);
  if (firstTokenMs !== null) observe(traffic.firstToken, firstTokenMs);
  if (usage !== null) {
    traffic.promptTokens += usage.promptTokens;
    traffic.completionTokens += usage.completionTokens;
  }
  if (step.isFallback) context.counts.fallbackUsed++;
}

function countEnd(context: ConcludeContext, outcome: Outcome, durationMs: number): void {
  context.counts.outcomes[outcome]++;
  if (outcome === 'upstream_error' || outcome === 'unavailable') context.counts.requestsFailed++;
  observe(context.counts.requestDuration, durationMs);
}

function record(context: ConcludeContext, request: MeteredRequest, outcome: MeteredOutcome): void {
  const { log, usage, spending, stamp } = context;
  const event = usage === null ? null : usageEvent(request, outcome, stamp);
  if (event !== null) {
    if (request.hold !== null) spending.conclude(request.hold, event.id, amountOf(outcome));
    usage?.(event);
  }
  log.debug(
    { request_id: request.exchange.requestId, status: outcome.status, route: outcome.route },
    'request served',
  );
}

/** Null when nothing was forwarded, or the tokens of its route cannot be estimated. */
function estimateOf(
  { exchange, peeked }: MeteredRequest,
  forwarded: Forwarded | null,
): TokenEstimate | null {
  const route = routeAt(exchange.path);
  if (forwarded === null || route === undefined) return null;
  return estimateAnswer(route.countable, peeked.promptEstimate, forwarded);
}

const forwardedOf = ({ body }: CachedAnswer): Forwarded => ({
  bytes: body.length,
  tail: null,
  isStream: false,
});

/** The amount that the control plane will count, at the prices that this replica knows. */
function amountOf({ usage, estimate, model, isCached }: MeteredOutcome): Amount {
  const counts = usage ?? estimate;
  if (counts === null) return nothingUsed;
  const { promptTokens: prompt, completionTokens: completion } = counts;
  const price = model === null ? null : estimateCostMicros(model.prices, { prompt, completion });
  return {
    tokens: prompt + completion,
    micros: isCached === true ? 0 : (usage?.costMicros ?? price ?? 0),
  };
}

const nothingUsed: Amount = { tokens: 0, micros: 0 };
