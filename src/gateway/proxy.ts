// The walk of a request from its head to the end of its answer. Every branch is here, in the
// order of the specification: authenticate, route, read, resolve, grant, admit, attempt the chain,
// relay, meter.

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import { stillView } from '../routing/idle-view.ts';
import type { RoutedRequest } from '../routing/request.ts';
import { chooseRoute, reasonOf } from '../routing/route.ts';
import type { ChainRoute, DenyRoute } from '../routing/route.ts';
import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Tracer } from '../telemetry/trace.ts';
import { admit, willRefuse } from './admit.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import { Attempt } from './attempt.ts';
import type { AttemptContext } from './attempt.ts';
import { authenticate, credentialOf } from './authenticate.ts';
import type { ResponseCache } from './cache.ts';
import { placeOf } from './cache-place.ts';
import type { CacheMiss } from './cache-recording.ts';
import {
  answerCached,
  answerCount,
  answerHeld,
  finish,
  refuse,
  refuseMetered,
} from './conclude.ts';
import type { ConcludeContext } from './conclude.ts';
import { formatOf } from './content-type.ts';
import { backendsFor } from './generation.ts';
import type { Generation } from './generation.ts';
import type { HeldAnswer } from './held-answer.ts';
import type { MeteredRequest } from './meter.ts';
import { outboundTo, upstreamHeaders } from './outbound.ts';
import type { OutboundContext } from './outbound-request.ts';
import { isPeekRefusal, peek } from './peek.ts';
import type { PeekRefusal } from './peek.ts';
import { peekForm } from './peek-form.ts';
import { Plan } from './plan.ts';
import type { Step } from './plan.ts';
import { PeekedRequest } from './routed-request.ts';
import { routeAt } from './routes.ts';
import type { ProxiedRoute } from './routes.ts';
import { beginTrace, noteAsked } from './traced.ts';
import type { Exchange, Upstreams } from './transport/boundary.ts';

export type ProxyContext = ConcludeContext &
  Readonly<{
    generation: () => Generation | null;
    upstreams: Upstreams;
    limiter: Limiter;
    /** Null when nothing is traced. */
    tracer: Tracer | null;
    cache: ResponseCache;
    now: Clock;
    /** The time to first byte of a backend that has none of its own. */
    firstByteMs: number;
    attemptsMax: number;
    /** Spreads requests over several endpoints of one model. */
    policy: PoolPolicy;
  }>;

const noSnapshot = refuseRequest('no_snapshot', 'no configuration has been received yet', {
  retryAfterSeconds: 1,
});
const tooLarge = refuseRequest('payload_too_large', 'the body is larger than this gateway accepts');
const overloaded = refuseRequest('overloaded', 'the memory for request bodies is used up', {
  retryAfterSeconds: 1,
});
const noSuchRoute = refuseRequest('not_found', 'no such route');
const onlyPost = refuseRequest('method_not_allowed', 'only POST is served here', {
  allow: 'POST',
});
const noBackend = refuseRequest('no_backend', 'no backend could be reached');

export async function proxy(context: ProxyContext, exchange: Exchange): Promise<void> {
  context.counts.requests++;
  const generation = context.generation();
  if (generation === null) return refuse(context, exchange, noSnapshot);
  if (exchange.malformed !== null) {
    return refuse(context, exchange, refuseRequest('malformed_request', exchange.malformed));
  }
  const caller = authenticate(generation, credentialOf(exchange), context.now());
  if ('reason' in caller) return refuse(context, exchange, caller);
  const proxied = routeAt(exchange.path);
  if (proxied === undefined) return refuse(context, exchange, noSuchRoute);
  if (exchange.method !== 'POST') return refuse(context, exchange, onlyPost);
  // Only now: who has no key decides nothing about what is traced.
  if (context.tracer !== null) beginTrace(context.tracer, exchange);
  const format = formatOf(exchange.header('content-type'), proxied);
  if ('message' in format) {
    return refuse(context, exchange, refuseRequest(format.reason, format.message));
  }
  const body = await exchange.readBody();
  if (body.kind === 'gone') return;
  if (body.kind !== 'bytes') {
    return refuse(context, exchange, body.kind === 'too_large' ? tooLarge : overloaded);
  }
  const peeked = format.kind === 'form' ? peekForm(body.bytes, format.boundary) : peek(body.bytes);
  if (isPeekRefusal(peeked)) return refuse(context, exchange, unreadable(exchange, peeked));
  if (proxied.messages === 'counted') return answerCount(context, exchange, peeked);
  noteAsked(exchange, peeked);
  const { snapshot, view } = generation;
  const isRefused = willRefuse(context.limiter, { caller, peeked }, context.monotonic());
  const live = isRefused ? stillView(view) : view;
  const routed = new PeekedRequest(exchange, peeked, body.bytes, {
    nowMs: context.now(),
    prefixBytes: snapshot.tuning.prefix_bytes,
  });
  const route = chooseRoute(snapshot, { caller, request: routed, live });
  const { version: snapshotVersion } = snapshot;
  const request: MeteredRequest = {
    exchange,
    caller,
    peeked,
    snapshotVersion,
    decision: route.decision,
    promptClass: routed.promptClass,
  };
  switch (route.kind) {
    case 'absent':
      return refuse(context, exchange, notFound(peeked.model));
    case 'deny':
      return refuseMetered(context, request, deniedByRule(route), 'authorisation', {
        model: null,
      });
    case 'ungranted':
      return refuseMetered(context, request, denied(peeked.model), 'authorisation', {
        model: route.model,
      });
    case 'chain': {
      const admission = admit(context.limiter, request, context.monotonic());
      if (admission.kind === 'refused') {
        const [model] = route.candidates;
        return refuseMetered(context, request, admission.refusal, admission.reason, { model });
      }
      const { headers: limitHeaders } = admission;
      const admitted = { proxied, body: body.bytes, routed, route, limitHeaders };
      return forward(context, generation, request, admitted);
    }
  }
}

function unreadable(exchange: Exchange, { ambiguous, message, param }: PeekRefusal) {
  const encoding = exchange.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    return refuseRequest('unsupported_encoding', 'content-encoding: a body must not be encoded');
  }
  const reason = ambiguous ? 'ambiguous_request' : 'malformed_request';
  return refuseRequest(reason, message, { param });
}

/** A name is echoed to the caller, and so are at most so many characters of it. */
const echoedMax = 200;
const quoted = (name: string): string => JSON.stringify(name.slice(0, echoedMax));

const notFound = (model: string): GatewayRefusal =>
  refuseRequest('model_not_found', `model ${quoted(model)} is not served here`, {
    param: 'model',
  });

const denied = (model: string): GatewayRefusal =>
  refuseRequest('model_access_denied', `the key may not invoke ${quoted(model)}`, {
    param: 'model',
  });

/** The rule's own answer; which rule it was stands in x-gw-route. */
const deniedByRule = ({ status, message, decision }: DenyRoute): GatewayRefusal =>
  refuseRequest('denied_by_rule', message, { param: 'model', status, route: decision.reason });

type Admitted = Readonly<{
  proxied: ProxiedRoute;
  body: Buffer;
  routed: RoutedRequest;
  route: ChainRoute;
  /** For the answer, names and values in turn. */
  limitHeaders: readonly string[];
}>;

function forward(
  context: ProxyContext,
  generation: Generation,
  request: MeteredRequest,
  admitted: Admitted,
): Promise<void> | void {
  const { proxied, body, route, limitHeaders } = admitted;
  const { exchange } = request;
  const [first] = route.candidates;
  const untranslated = unservedBy(generation, route.candidates, proxied);
  if (untranslated !== null) return refuse(context, exchange, untranslated);
  const headers = upstreamHeaders(exchange);
  const { edition } = generation.snapshot;
  const { isStream } = request.peeked;
  const place = placeOf({ edition, proxied, model: first, isStream, body, headers });
  const answer = place === null ? null : context.cache.find(place, context.monotonic());
  if (answer !== null) {
    const hit = { answer, model: first, route: reasonOf(route, first), limitHeaders };
    return answerCached(context, request, hit);
  }
  const miss = place === null ? null : { cache: context.cache, place };
  return attemptChain(context, generation, request, { ...admitted, headers, miss });
}

type Missed = Admitted & Readonly<{ headers: readonly string[]; miss: CacheMiss | null }>;

async function attemptChain(
  context: ProxyContext,
  generation: Generation,
  request: MeteredRequest,
  { proxied, body, routed, route, limitHeaders, headers, miss }: Missed,
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
  context: ProxyContext,
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
  refuseMetered(context, request, refusal, 'no_backend', {
    model: route.candidates[0],
    attempts: plan.attempts,
  });
}

/**
 * What the backend's protocol has no words for is the answer when nothing else of the chain could be
 * asked. A request that is wrong is so for every backend, and is not passed on to the next.
 */
const untranslatable = (
  { refused, message, param, headers }: ProtocolRefusal,
  limitHeaders: readonly string[],
): GatewayRefusal =>
  refuseRequest(refused === 'invalid' ? 'malformed_request' : 'unsupported_feature', message, {
    param,
    headers: [...limitHeaders, ...headers],
  });

/**
 * What no candidate speaks is refused with the protocol of the first (Gateway rule 14). A candidate
 * that does speak it is reached past one that does not, as past any 5xx.
 */
function unservedBy(
  generation: Generation,
  candidates: readonly CompiledModel[],
  proxied: ProxiedRoute,
): GatewayRefusal | null {
  const isServed = candidates.some(({ id }) => {
    const model = generation.models.get(id);
    return model !== undefined && backendsFor(model, proxied).length > 0;
  });
  if (isServed) return null;
  const protocol = candidates[0]?.backends[0]?.protocol ?? 'openai';
  const message = `a backend of protocol ${protocol} does not serve ${proxied.path}`;
  return refuseRequest('unsupported_endpoint', message, { headers: ['x-should-retry', 'false'] });
}

const wait = (waitMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, waitMs));

const faultFields = (step: Step, detail: string) => ({
  api_base: step.backend.backend.apiBase,
  model: step.backend.backend.upstreamModel,
  fault: detail,
});
