// The attempts of one request, one after the other along its route, until one has answered or nothing is
// left to try (Gateway rules 2 and 3).

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { RoutedRequest } from '../routing/request.ts';
import type { ChainRoute } from '../routing/route.ts';
import { Attempt } from './attempt.ts';
import type { AttemptContext } from './attempt.ts';
import type { CacheMiss } from './cache-recording.ts';
import { answerHeld, finish, refuse, refuseMetered } from './conclude.ts';
import type { ConcludeContext } from './conclude.ts';
import type { Generation } from './generation.ts';
import type { HeldAnswer } from './held-answer.ts';
import type { MeteredRequest } from './meter.ts';
import { outboundTo } from './outbound.ts';
import type { OutboundContext } from './outbound-request.ts';
import { Plan } from './plan.ts';
import type { Step } from './plan.ts';
import { noBackend, untranslatable } from './refusals.ts';
import type { ProxiedRoute } from './routes.ts';
import type { Upstreams } from './transport/boundary.ts';

export type ChainContext = ConcludeContext &
  Readonly<{
    upstreams: Upstreams;
    now: Clock;
    /** The time to first byte of a backend that has none of its own. */
    firstByteMs: number;
    attemptsMax: number;
    /** Spreads requests over several endpoints of one model. */
    policy: PoolPolicy;
  }>;

/** A request that nothing stands in the way of any more. */
export type Admitted = Readonly<{
  proxied: ProxiedRoute;
  body: Buffer;
  routed: RoutedRequest;
  route: ChainRoute;
  /** For the answer, names and values in turn. */
  limitHeaders: readonly string[];
}>;

export type Sent = Readonly<{
  /** For the upstreams, all but the credential. */
  headers: readonly string[];
  /** Set when the cache was asked in vain. */
  miss: CacheMiss | null;
}>;

export async function attemptChain(
  context: ChainContext,
  generation: Generation,
  request: MeteredRequest,
  { proxied, body, routed, route, limitHeaders }: Admitted,
  { headers, miss }: Sent,
): Promise<void> {
  const { exchange, caller } = request;
  const plan = new Plan({
    generation,
    route,
    proxied,
    request: routed,
    policy: context.policy,
    attemptsMax: context.attemptsMax,
    requestId: exchange.id,
    counts: context.counts,
    now: context.now,
  });
  const isMetered = caller.principalId !== null && context.usage !== null;
  const attemptContext: AttemptContext = {
    shared: context,
    exchange,
    plan,
    isMetered,
    limitHeaders,
    miss,
  };
  const { firstByteMs, now } = context;
  const sent: OutboundContext = { proxied, headers, body, request, firstByteMs, now };
  let held: HeldAnswer | null = null;
  let unsaid: ProtocolRefusal | null = null;
  for (let step = plan.first(); step !== null;) {
    const outbound = outboundTo(step.backend.backend, sent);
    if (isProtocolRefusal(outbound)) {
      unsaid ??= outbound;
      if (outbound.status === 400 && plan.attempts === 1) {
        return refuse(context, exchange, untranslatable(outbound, limitHeaders));
      }
      step = plan.instead(step);
      continue;
    }
    if (step.waitMs > 0) await wait(step.waitMs);
    const attempt: Attempt = new Attempt(attemptContext, step);
    const result = await attempt.run(outbound);
    switch (result.kind) {
      case 'relayed':
      case 'gone':
        held?.abandon();
        return finish(context, request, plan, step, attempt, { usage: result.usage });
      case 'cut':
        held?.abandon();
        context.log.warn(faultFields(step, result.fault.detail), 'an answer broke off');
        return finish(context, request, plan, step, attempt, { isBroken: true });
      case 'declined':
        held?.abandon();
        held = result.held;
        step = result.next;
        break;
      case 'unreached':
        context.log.warn(faultFields(step, result.fault.detail), 'a backend was not reached');
        step = plan.next(null);
        break;
    }
  }
  return concludeChain(context, request, plan, { route, limitHeaders, miss, held, unsaid });
}

type Exhausted = Readonly<{
  route: ChainRoute;
  limitHeaders: readonly string[];
  miss: CacheMiss | null;
  /** The last answer that came. */
  held: HeldAnswer | null;
  /** Of the first candidate whose protocol has no words for the request. */
  unsaid: ProtocolRefusal | null;
}>;

/** Nothing is left to try. */
function concludeChain(
  context: ChainContext,
  request: MeteredRequest,
  plan: Plan,
  { route, limitHeaders, miss, held, unsaid }: Exhausted,
): Promise<void> | void {
  if (held !== null) {
    const isMiss = miss?.place.model === held.step.model.model;
    const more = isMiss ? [...limitHeaders, 'x-gw-cache', 'miss'] : limitHeaders;
    return answerHeld(context, request, plan, held, more);
  }
  if (unsaid !== null && plan.attempts === 0) {
    return refuse(context, request.exchange, untranslatable(unsaid, limitHeaders));
  }
  const refusal = { ...noBackend, headers: limitHeaders };
  const [model] = route.candidates;
  refuseMetered(context, request, refusal, 'no_backend', model, plan.attempts);
}

const wait = (waitMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, waitMs));

const faultFields = (step: Step, detail: string) => ({
  api_base: step.backend.backend.apiBase,
  model: step.backend.backend.upstreamModel,
  fault: detail,
});
