// The attempts of one request, one after the other along its route, until one has answered or nothing is
// left to try (Gateway rules 2 and 3).

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { RoutedRequest } from '../routing/request.ts';
import type { ChainRoute } from '../routing/route.ts';
import { awaitTurn } from './admission-turn.ts';
import type { GatewayRefusal } from './answer.ts';
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
    /** Attempts of one request. */
    attemptsMax: number;
    /** Attempts at further backends of one model. */
    retriesMax: number;
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
  admitted: Admitted,
  sent: Sent,
): Promise<void> {
  const { exchange } = request;
  const { monotonic } = context;
  const attemptContext = contextOf(context, generation, request, admitted, sent);
  const { plan } = attemptContext;
  const outboundContext = outboundContextOf(context, request, admitted, sent);
  let held: HeldAnswer | null = null;
  let unsaid: ProtocolRefusal | null = null;
  let crowded: GatewayRefusal | null = null;
  for (let step = plan.first(); step !== null;) {
    const outbound = outboundTo(step.backend.backend, outboundContext);
    if (isProtocolRefusal(outbound)) {
      unsaid ??= outbound;
      if (outbound.status === 400 && plan.attempts === 1) {
        return refuse(context, exchange, untranslatable(outbound, admitted.limitHeaders));
      }
      step = plan.instead(step);
      continue;
    }
    if (step.waitMs > 0) await wait(step.waitMs);
    const { admission } = step.backend;
    if (admission !== null && !admission.take()) {
      const turn = await awaitTurn(step, admission, { plan, exchange, monotonic, crowded });
      if (turn.kind === 'gone') {
        held?.abandon();
        return finish(context, request, plan, step, new Attempt(attemptContext, step), {});
      }
      if (turn.kind === 'elsewhere') {
        ({ step, crowded } = turn);
        continue;
      }
    }
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
        step = result.next;
        break;
    }
  }
  return concludeChain(context, request, plan, { ...admitted, ...sent, held, unsaid, crowded });
}

function contextOf(
  context: ChainContext,
  generation: Generation,
  { exchange, caller }: MeteredRequest,
  { proxied, routed, route, limitHeaders }: Admitted,
  { miss }: Sent,
): AttemptContext {
  const { policy, attemptsMax, retriesMax, firstByteMs, counts, now, usage } = context;
  const plan = new Plan({
    generation,
    route,
    proxied,
    request: routed,
    policy,
    attemptsMax,
    retriesMax,
    firstByteMs,
    requestId: exchange.id,
    counts,
    now,
  });
  const isMetered = caller.principalId !== null && usage !== null;
  return { shared: context, exchange, plan, isMetered, limitHeaders, miss };
}

const outboundContextOf = (
  { firstByteMs, now }: ChainContext,
  request: MeteredRequest,
  { proxied, body }: Admitted,
  { headers }: Sent,
): OutboundContext => ({ proxied, headers, body, request, firstByteMs, now });

type Exhausted = Pick<Admitted, 'route' | 'limitHeaders'> &
  Pick<Sent, 'miss'> &
  Readonly<{
    /** The last answer that came. */
    held: HeldAnswer | null;
    /** The refusal of the first candidate whose protocol cannot express the request. */
    unsaid: ProtocolRefusal | null;
    /** The refusal of the last backend that had no slot for it. */
    crowded: GatewayRefusal | null;
  }>;

/** Nothing is left to try. */
function concludeChain(
  context: ChainContext,
  request: MeteredRequest,
  plan: Plan,
  { route, limitHeaders, miss, held, unsaid, crowded }: Exhausted,
): Promise<void> | void {
  if (held !== null) {
    const isMiss = miss?.place.model === held.step.model.model;
    const more = isMiss ? [...limitHeaders, 'x-gw-cache', 'miss'] : limitHeaders;
    return answerHeld(context, request, plan, held, more);
  }
  if (unsaid !== null && crowded === null && plan.attempts === 0) {
    return refuse(context, request.exchange, untranslatable(unsaid, limitHeaders));
  }
  const refusal = { ...(crowded ?? noBackend), headers: limitHeaders };
  const [model] = route.candidates;
  const reason = crowded === null ? 'no_backend' : 'backend_overloaded';
  refuseMetered(context, request, refusal, reason, model, plan.attempts);
}

const wait = (waitMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, waitMs));

const faultFields = (step: Step, detail: string) => ({
  api_base: step.backend.backend.apiBase,
  model: step.backend.backend.upstreamModel,
  fault: detail,
});
