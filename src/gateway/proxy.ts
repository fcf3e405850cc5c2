// Processes a request from its head to the end of its answer. All branches are here, in the order of the specification:
// authenticate, route, read, resolve, grant, admit, cache, forward.

import type { Protocol } from '../lib/vocabulary.ts';
import { readOnlyView } from '../routing/idle-view.ts';
import { chooseRoute, reasonOf } from '../routing/route.ts';
import { ruleInputs } from '../routing/rule-inputs.ts';
import type { Route } from '../routing/route.ts';
import { admit, holdSpending, willRefuse, withSpending } from './admission/admit.ts';
import { refuseRequest } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { cacheKeyOf } from './cache/cache-key.ts';
import { attemptChain } from './chain.ts';
import { answerCount, conclude, refuse, refused } from './conclude.ts';
import { formatOf } from './body/content-type.ts';
import { refuseCount } from './body/count-tokens.ts';
import { backendsFor } from './generation.ts';
import { upstreamHeaders } from './outbound/outbound.ts';
import { isPeekRefusal, peek } from './body/peek.ts';
import { peekForm } from './body/peek-form.ts';
import * as refusals from './refusals.ts';
import { routedRequest } from './routed-request.ts';
import { routeAt } from './routes.ts';
import { beginTrace, noteRequest } from './traced.ts';
import type { Exchange } from './transport/boundary.ts';
import { isOnChain } from './walk.ts';
import type { ChainWalk, ProxyContext, Walk } from './walk.ts';
import { commonProtocol } from '../protocols/facts.ts';

export async function proxy(context: ProxyContext, exchange: Exchange): Promise<void> {
  context.counts.requests++;
  const generation = context.generation();
  if (generation === null) return refuse({ context, exchange }, refusals.noSnapshot);
  if (exchange.malformed !== null)
    return refuse({ context, exchange }, refusals.malformed(exchange.malformed));
  const known = authenticate(generation, exchange, exchange.startedMs);
  if ('reason' in known) return refuse({ context, exchange }, known);
  const proxied = routeAt(exchange.path);
  if (proxied === undefined) return refuse({ context, exchange }, refusals.noSuchRoute(exchange));
  if (exchange.method !== 'POST') return refuse({ context, exchange }, refusals.onlyPost);
  // After authentication, so that a caller without a key cannot control tracing.
  if (context.tracer !== null) beginTrace(context.tracer, exchange);
  const format = formatOf(exchange.header('content-type'), proxied);
  if ('message' in format) {
    return refuse({ context, exchange }, refuseRequest(format.reason, format.message));
  }
  const reading = exchange.readBody();
  const received = reading instanceof Promise ? await reading : reading;
  if (received.kind === 'gone') return;
  if (received.kind !== 'bytes')
    return refuse({ context, exchange }, refusals.notReceived(received));
  const body = received.bytes;
  const peeked = format.kind === 'form' ? peekForm(body, format.boundary) : peek(body);
  if (isPeekRefusal(peeked))
    return refuse({ context, exchange }, refusals.unreadable(exchange, peeked));
  if (proxied.messages === 'counted') {
    const refusal = refuseCount(generation, known, { model: peeked.model, body });
    if (refusal !== null) return refuse({ context, exchange }, refusal);
    return answerCount({ context, exchange }, peeked.promptEstimate);
  }
  noteRequest(exchange, peeked);
  const { snapshot, view } = generation;
  const atMs = context.monotonic();
  const { spending, now } = context;
  const before = withSpending(known, spending, now);
  const isRefused = willRefuse(context, { caller: before, peeked }, atMs);
  const read = routedRequest(context, exchange, { snapshot, peeked, body, proxied, isRefused });
  const request = read instanceof Promise ? await read : read;
  // Other requests may have been admitted while this one waited.
  const caller = read instanceof Promise ? withSpending(known, spending, now) : before;
  const asking = { caller, request, live: isRefused ? readOnlyView(view) : view };
  const walk: Walk = {
    context,
    generation,
    exchange,
    caller,
    proxied,
    body,
    peeked,
    request,
    route: chooseRoute(snapshot, asking),
    ruleInputs: ruleInputs(snapshot.frontendModels.get(peeked.model), asking),
    limitHeaders: none,
    hold: null,
    missed: null,
  };
  const { route } = walk;
  if (route.kind !== 'chain' && route.kind !== 'out') return refuseRoute(walk, route);
  const first = route.kind === 'chain' ? route.candidates[0] : route.model;
  const admission = admit(walk, atMs);
  if (admission.kind === 'refused')
    return conclude(walk, refused(admission.refusal, admission.reason, first));
  walk.limitHeaders = admission.headers;
  if (!isOnChain(walk)) return conclude(walk, refused(refusals.outOfRotation, 'no_backend', first));
  walk.hold = holdSpending(walk, admission.ahead);
  try {
    await forward(walk);
  } finally {
    if (walk.hold !== null) spending.release(walk.hold);
  }
}

const none: readonly string[] = [];

type RouteWithoutModel = Exclude<Route, { kind: 'chain' } | { kind: 'out' }>;

function refuseRoute(walk: Walk, route: RouteWithoutModel): void {
  const { model } = walk.peeked;
  switch (route.kind) {
    case 'absent':
      return conclude(walk, refused(refusals.notFound(model)));
    case 'deny':
      return conclude(walk, refused(refusals.deniedByRule(route), 'authorisation'));
    case 'ungranted':
      return conclude(walk, refused(refusals.denied(model), 'authorisation', route.model));
  }
}

function forward(walk: ChainWalk): Promise<void> | void {
  const { context, generation, exchange, proxied, body, peeked, route } = walk;
  const unserved = unservedBy(walk);
  if (unserved !== null) {
    return conclude(walk, refused(refusals.unserved(unserved, proxied.path)));
  }
  const headers = upstreamHeaders(exchange);
  const [model] = route.candidates;
  const { edition } = generation.snapshot;
  const { isStream } = peeked;
  const cacheKey = cacheKeyOf({ edition, proxied, model, isStream, body, headers });
  const answer = cacheKey === null ? null : context.cache.find(cacheKey, context.monotonic());
  if (answer !== null) {
    return conclude(walk, { kind: 'cached', answer, model, route: reasonOf(route, model) });
  }
  walk.missed = cacheKey;
  return attemptChain(walk, headers);
}

/**
 * The protocol of the first candidate when no candidate supports the route, so that the request is
 * refused (Gateway rule 14). Otherwise null: candidates without support are skipped like a 5xx.
 */
function unservedBy({ generation, route, proxied }: ChainWalk): Protocol | null {
  for (const { id } of route.candidates) {
    const model = generation.models.get(id);
    if (model !== undefined && backendsFor(model, proxied).length > 0) return null;
  }
  return route.candidates[0].backends[0]?.protocol ?? commonProtocol;
}
