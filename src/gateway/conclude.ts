// Ends a request: answers the client when there is nothing to relay, counts the request, and records its usage row.

import type { Amount } from '../limits/spending.ts';
import { headerText } from '../lib/header-text.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { observe } from '../telemetry/histogram.ts';
import type { Outcome } from '../telemetry/metrics.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { estimateAnswer } from '../usage/estimate-answer.ts';
import type { Forwarded, TokenEstimate } from '../usage/estimate-answer.ts';
import type { ReportedUsage } from '../usage/tail.ts';
import type { RefusalReason } from '../usage/usage-event.ts';
import { answerJson, answerRefusal, idHeaders, rejectionOf } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { CachedAnswer } from './cache.ts';
import type { HeldAnswer } from './held-answer.ts';
import { usageEvent } from './meter.ts';
import type { MeteredOutcome } from './meter.ts';
import type { Step } from './plan.ts';
import { upstreamError } from './refusals.ts';
import type { Relay } from './relay.ts';
import { noteAnswer, noteServed } from './traced.ts';
import { appendAnswerHeaders, withoutHeader } from './transport/header-policy.ts';
import type { Walk } from './walk.ts';

/** How a request ends. `attempts` are those at backends so far. */
export type Conclusion =
  /** An answer was passed on, whole or not; `relay` is null when the client left before. */
  | Readonly<{
      kind: 'relayed';
      step: Step;
      relay: Relay | null;
      usage: ReportedUsage | null;
      isBroken: boolean;
      attempts: number;
    }>
  /** The chain is exhausted: the client gets the last answer that came. `body` is null when it did not come whole. */
  | Readonly<{
      kind: 'held';
      step: Step;
      held: HeldAnswer;
      body: Buffer | null;
      attempts: number;
    }>
  /** From the response cache. `route` is the value of x-gw-route. */
  | Readonly<{ kind: 'cached'; answer: CachedAnswer; model: CompiledModel; route: string }>
  /** `reason` is null when it leaves no usage row. `model` is the one that would have answered. */
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
  const durationMs = context.monotonic() - exchange.startedAt;
  const { model, providerId, route } = servedBy(conclusion);
  const usage = usageOf(conclusion);
  const estimate = usage === null ? estimateOf(walk, forwardedOf(conclusion)) : null;
  const outcome: MeteredOutcome = {
    status,
    refusal: conclusion.kind === 'refused' ? conclusion.reason : null,
    model,
    providerId,
    route,
    usage,
    estimate,
    attempts: conclusion.kind === 'cached' ? 0 : conclusion.attempts,
    isCached: conclusion.kind === 'cached',
    durationMs,
    firstTokenMs: conclusion.kind === 'relayed' ? (conclusion.relay?.firstTokenMs ?? null) : null,
  };
  count(walk, conclusion, outcome);
  record(walk, outcome);
}

/** Answers the client unless an attempt has done so. The status that reached it; null when none did. */
function answer(walk: Walk, conclusion: Conclusion): number | null {
  const { exchange, limitHeaders } = walk;
  switch (conclusion.kind) {
    case 'relayed':
      return conclusion.relay?.status ?? null;
    case 'held':
      answerHeld(walk, conclusion.held, conclusion.body);
      return exchange.isGone ? null : conclusion.held.status;
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

function answerHeld(
  { exchange, limitHeaders, missed }: Walk,
  held: HeldAnswer,
  body: Buffer | null,
) {
  const { step, status, headers } = held;
  const { model } = step.model;
  const cache = missed?.model === model ? ['x-gw-cache', 'miss'] : [];
  if (body === null) return answerRefusal(exchange, upstreamError(status, cache), limitHeaders);
  const head = [...idHeaders(exchange), 'x-gw-route', step.route];
  head.push('x-gw-served-model', headerText(model.name), ...limitHeaders, ...cache);
  appendAnswerHeaders(head, withoutHeader(headers, 'content-length'));
  exchange.answer(status, head, body);
}

/** The part of a request's record that a refusal needs; a request that is refused early has no limits to tell. */
type Refusable = Pick<Walk, 'context' | 'exchange'> & Partial<Pick<Walk, 'limitHeaders'>>;

/** Leaves no usage row. */
export function refuse(request: Refusable, refusal: GatewayRefusal): void {
  const { context, exchange } = request;
  noteAnswer(exchange, refusal.status);
  const rejection = rejectionOf(refusal.reason);
  if (rejection !== null) context.counts.rejections[rejection]++;
  countEnd(request, refusal.status >= 502 ? 'unavailable' : 'rejected');
  answerRefusal(exchange, refusal, request.limitHeaders);
}

/** Answers with the estimate that limits and rules use. No backend is asked, and nothing is charged or recorded. */
export function answerCount(request: Refusable, promptEstimate: number): void {
  const { exchange } = request;
  noteAnswer(exchange, 200);
  answerJson(exchange, 200, { input_tokens: promptEstimate });
  countEnd(request, 'ok');
}

type Served = Pick<MeteredOutcome, 'model' | 'providerId' | 'route'>;

function servedBy(conclusion: Conclusion): Served {
  switch (conclusion.kind) {
    case 'relayed':
    case 'held': {
      const { model, backend, route } = conclusion.step;
      return { model: model.model, providerId: backend.backend.providerId, route };
    }
    case 'cached': {
      const { model, answer, route } = conclusion;
      return { model, providerId: answer.providerId, route };
    }
    case 'refused':
      return { model: conclusion.model, providerId: null, route: null };
  }
}

/**
 * A hit of the cache has the counts that were reported for its answer, so that it counts against a budget of tokens as
 * that answer did (Gateway rule 9). It costs nothing.
 */
function usageOf(conclusion: Conclusion): ReportedUsage | null {
  if (conclusion.kind === 'cached') return conclusion.answer.usage;
  return conclusion.kind === 'relayed' ? conclusion.usage : null;
}

/** Null when nothing of an answer of a model was passed on. */
function forwardedOf(conclusion: Conclusion): Forwarded | null {
  if (conclusion.kind === 'relayed') return conclusion.relay?.forwarded ?? null;
  if (conclusion.kind !== 'cached') return null;
  return { bytes: conclusion.answer.body.length, tail: null, isStream: false };
}

/** Null when the tokens of the route cannot be estimated, too. */
const estimateOf = ({ proxied, peeked }: Walk, forwarded: Forwarded | null): TokenEstimate | null =>
  forwarded === null ? null : estimateAnswer(proxied.countable, peeked.promptEstimate, forwarded);

/** What was refused is counted by then. */
function count(walk: Walk, conclusion: Conclusion, outcome: MeteredOutcome): void {
  const { context, exchange } = walk;
  const { durationMs, firstTokenMs } = outcome;
  switch (conclusion.kind) {
    case 'relayed': {
      const { step, attempts, isBroken } = conclusion;
      const { status } = outcome;
      noteServed(exchange, step, { status, attempts });
      if (firstTokenMs !== null) observe(context.counts.firstToken, firstTokenMs);
      if (status !== null) countServed(walk, step, outcome);
      const isFailed = isBroken || (status !== null && status >= 500);
      return countEnd(walk, isFailed ? 'upstream_error' : 'ok', durationMs);
    }
    case 'held': {
      const { step, held, attempts } = conclusion;
      noteServed(exchange, step, { status: held.status, attempts });
      countServed(walk, step, outcome);
      return countEnd(walk, 'upstream_error', durationMs);
    }
    case 'cached':
      return countEnd(walk, 'ok', durationMs);
    case 'refused':
      return;
  }
}

function countServed({ context }: Walk, step: Step, outcome: MeteredOutcome): void {
  const { durationMs, firstTokenMs, usage } = outcome;
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
    if (hold !== null) spending.conclude(hold, event.id, amountOf(outcome));
    usage?.(event);
  }
  const { status, route } = outcome;
  log.debug({ request_id: exchange.requestId, status, route }, 'request served');
}

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
