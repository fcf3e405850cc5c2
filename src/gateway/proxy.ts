// The walk of a request from its head to the end of its answer. Every branch is here, in the
// order of the specification: authenticate, route, read, resolve, grant, admit, cache, forward.

import type { Protocol } from '../lib/vocabulary.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Hold } from '../limits/spending.ts';
import { stillView } from '../routing/idle-view.ts';
import { chooseRoute, reasonOf } from '../routing/route.ts';
import { ruleInputs } from '../routing/rule-inputs.ts';
import type { Route } from '../routing/route.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { Tracer } from '../telemetry/trace.ts';
import { admit, holdSpending, willRefuse, withSpending } from './admit.ts';
import { refuseRequest } from './answer.ts';
import { authenticate } from './authenticate.ts';
import type { ResponseCache } from './cache.ts';
import { placeOf } from './cache-place.ts';
import { attemptChain } from './chain.ts';
import type { Admitted, ChainContext } from './chain.ts';
import { answerCached, answerCount, refuse, refuseMetered } from './conclude.ts';
import type { Classifier } from './classifier.ts';
import { formatOf } from './content-type.ts';
import { refuseCount } from './count-tokens.ts';
import { backendsFor } from './generation.ts';
import type { Generation } from './generation.ts';
import type { MeteredRequest } from './meter.ts';
import { upstreamHeaders } from './outbound.ts';
import { isPeekRefusal, peek } from './peek.ts';
import type { Peeked } from './peek.ts';
import { peekForm } from './peek-form.ts';
import * as refusals from './refusals.ts';
import { routedRequest } from './routed-request.ts';
import { routeAt } from './routes.ts';
import type { ProxiedRoute } from './routes.ts';
import { beginTrace, noteAsked } from './traced.ts';
import type { Exchange } from './transport/boundary.ts';

export type ProxyContext = ChainContext &
  Readonly<{
    generation: () => Generation | null;
    limiter: Limiter;
    /** Null when nothing is traced. */
    tracer: Tracer | null;
    cache: ResponseCache;
    classifier: Classifier;
  }>;

export async function proxy(context: ProxyContext, exchange: Exchange): Promise<void> {
  context.counts.requests++;
  const generation = context.generation();
  if (generation === null) return refuse(context, exchange, refusals.noSnapshot);
  if (exchange.malformed !== null) {
    return refuse(context, exchange, refuseRequest('malformed_request', exchange.malformed));
  }
  const known = authenticate(generation, exchange, exchange.startedMs);
  if ('reason' in known) return refuse(context, exchange, known);
  const proxied = routeAt(exchange.path);
  if (proxied === undefined) return refuse(context, exchange, refusals.noSuchRoute(exchange));
  if (exchange.method !== 'POST') return refuse(context, exchange, refusals.onlyPost);
  // Only after authentication: a caller without a key must not decide what is traced.
  if (context.tracer !== null) beginTrace(context.tracer, exchange);
  const format = formatOf(exchange.header('content-type'), proxied);
  if ('message' in format) {
    return refuse(context, exchange, refuseRequest(format.reason, format.message));
  }
  const reading = exchange.readBody();
  const received = reading instanceof Promise ? await reading : reading;
  if (received.kind === 'gone') return;
  if (received.kind === 'too_large')
    return refuse(context, exchange, refusals.tooLarge(received.bytesMax));
  if (received.kind === 'overloaded') return refuse(context, exchange, refusals.overloaded);
  const body = received.bytes;
  const peeked = format.kind === 'form' ? peekForm(body, format.boundary) : peek(body);
  if (isPeekRefusal(peeked))
    return refuse(context, exchange, refusals.unreadable(exchange, peeked));
  if (proxied.messages === 'counted') {
    return count(context, generation, known, { exchange, peeked, body });
  }
  noteAsked(exchange, peeked);
  const { snapshot, view } = generation;
  const atMs = context.monotonic();
  const { limiter, spending } = context;
  const before = withSpending(known, spending);
  const isRefused = willRefuse(limiter, { caller: before, peeked }, atMs);
  const live = isRefused ? stillView(view) : view;
  const read = routedRequest(context, exchange, { snapshot, peeked, body, proxied, isRefused });
  const routed = read instanceof Promise ? await read : read;
  // Other requests may have been admitted while this one waited.
  const caller = read instanceof Promise ? withSpending(known, spending) : before;
  const asking = { caller, request: routed, live };
  const route = chooseRoute(snapshot, asking);
  const { decision } = route;
  const { promptClass } = routed;
  const asked: MeteredRequest = {
    exchange,
    caller,
    peeked,
    snapshotVersion: snapshot.version,
    decision,
    promptClass,
    ruleInputs: ruleInputs(snapshot.frontendModels.get(peeked.model), asking),
    hold: null,
  };
  if (route.kind !== 'chain' && route.kind !== 'out') return refuseRoute(context, asked, route);
  const admission = admit(limiter, asked, atMs);
  const first = route.kind === 'chain' ? route.candidates[0] : route.model;
  if (admission.kind === 'refused') {
    return refuseMetered(context, asked, admission.refusal, admission.reason, first);
  }
  const { headers: limitHeaders } = admission;
  if (route.kind === 'out') {
    const refusal = { ...refusals.outOfRotation, headers: limitHeaders };
    return refuseMetered(context, asked, refusal, 'no_backend', first);
  }
  const admitted = { proxied, body, routed, route, limitHeaders };
  const hold = holdSpending(spending, generation, { caller, peeked, model: route.candidates[0] });
  // To answer a promise with a promise would cost the request three more turns of the queue.
  if (hold === null) await forward(context, generation, asked, admitted);
  else await forwardHeld(context, generation, { ...asked, hold }, admitted);
}

/** Releases the hold however the request ends. */
async function forwardHeld(
  context: ProxyContext,
  generation: Generation,
  request: MeteredRequest & Readonly<{ hold: Hold }>,
  admitted: Admitted,
): Promise<void> {
  try {
    await forward(context, generation, request, admitted);
  } finally {
    context.spending.release(request.hold);
  }
}

type Dead = Exclude<Route, { kind: 'chain' } | { kind: 'out' }>;

/** The route leads nowhere, or nowhere that the caller may go. */
function refuseRoute(context: ProxyContext, asked: MeteredRequest, route: Dead): void {
  const { model } = asked.peeked;
  switch (route.kind) {
    case 'absent':
      return refuse(context, asked.exchange, refusals.notFound(model));
    case 'deny':
      return refuseMetered(context, asked, refusals.deniedByRule(route), 'authorisation', null);
    case 'ungranted': {
      const refusal = refusals.denied(model);
      return refuseMetered(context, asked, refusal, 'authorisation', route.model);
    }
  }
}

type Counted = Readonly<{ exchange: Exchange; peeked: Peeked; body: Buffer }>;

/** Asks no backend, so that neither rules nor limits nor a budget stand in its way. */
function count(
  context: ProxyContext,
  generation: Generation,
  caller: Caller,
  { exchange, peeked, body }: Counted,
): void {
  const refusal = refuseCount(generation, caller, { model: peeked.model, body });
  if (refusal !== null) return refuse(context, exchange, refusal);
  answerCount(context, exchange, peeked);
}

/** Nothing stands in the way of the request any more: it is answered from the cache, or by a backend. */
function forward(
  context: ProxyContext,
  generation: Generation,
  request: MeteredRequest,
  admitted: Admitted,
): Promise<void> | void {
  const { proxied, body, route, limitHeaders } = admitted;
  const { exchange } = request;
  const unserved = unservedBy(generation, route.candidates, proxied);
  if (unserved !== null)
    return refuse(context, exchange, refusals.unserved(unserved, proxied.path, limitHeaders));
  const headers = upstreamHeaders(exchange);
  const [model] = route.candidates;
  const { edition } = generation.snapshot;
  const { isStream } = request.peeked;
  const place = placeOf({ edition, proxied, model, isStream, body, headers });
  if (place === null)
    return attemptChain(context, generation, request, admitted, { headers, miss: null });
  const answer = context.cache.find(place, context.monotonic());
  if (answer !== null) {
    const hit = { answer, model, route: reasonOf(route, model), limitHeaders };
    return answerCached(context, request, hit);
  }
  const miss = { cache: context.cache, place };
  return attemptChain(context, generation, request, admitted, { headers, miss });
}

/**
 * The protocol of the first, when no candidate speaks what is asked for: the request is refused with it (Gateway rule 14). A
 * candidate that does speak it is reached past one that does not, as past any 5xx.
 */
function unservedBy(
  generation: Generation,
  candidates: readonly CompiledModel[],
  proxied: ProxiedRoute,
): Protocol | null {
  for (const { id } of candidates) {
    const model = generation.models.get(id);
    if (model !== undefined && backendsFor(model, proxied).length > 0) return null;
  }
  return candidates[0]?.backends[0]?.protocol ?? 'openai';
}
