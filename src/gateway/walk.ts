// The record of one request. It is made once the route is chosen, every later stage takes it as it is, and the stages
// fill in the fields that begin empty.

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Hold, Spending } from '../limits/spending.ts';
import type { RoutedRequest } from '../routing/request.ts';
import type { ChainRoute, Route } from '../routing/route.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { Log } from '../telemetry/log.ts';
import type { Counts } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { RuleInputs } from '../usage/rule-inputs.ts';
import type { ResponseCache } from './cache/cache.ts';
import type { CacheKey } from './cache/cache-key.ts';
import type { Classifier } from './classifier.ts';
import type { Generation } from './generation.ts';
import type { UsageSink } from './usage/meter.ts';
import type { Peeked } from './body/peek.ts';
import type { ProxiedRoute } from './routes.ts';
import type { Exchange, Upstreams } from './transport/boundary.ts';

/** The parts of the gateway that all requests share. */
export type ProxyContext = Readonly<{
  generation: () => Generation | null;
  upstreams: Upstreams;
  limiter: Limiter;
  spending: Spending;
  cache: ResponseCache;
  classifier: Classifier;
  counts: Counts;
  /** Null when usage goes nowhere. */
  usage: UsageSink | null;
  log: Log;
  /** Null when nothing is traced. */
  tracer: Tracer | null;
  now: Clock;
  monotonic: Clock;
  /** RFC 3339 of epoch milliseconds. */
  stamp: (epochMs: number) => string;
  /** The time to first byte of a backend that has none of its own. */
  firstByteMs: number;
  /** Attempts of one request. */
  attemptsMax: number;
  /** Attempts at further backends of one model. */
  retriesMax: number;
  /** Spreads requests over several endpoints of one model. */
  policy: PoolPolicy;
}>;

export type Walk = Readonly<{
  context: ProxyContext;
  /** Serves the request from beginning to end. */
  generation: Generation;
  exchange: Exchange;
  caller: Caller;
  proxied: ProxiedRoute;
  body: Buffer;
  peeked: Peeked;
  /** As routing asks about it. */
  request: RoutedRequest;
  route: Route;
  ruleInputs: RuleInputs | null;
}> & {
  /**
   * What the caller has left of its rate limits, for every answer: names and values in turn. Empty before the
   * request is admitted, and without limits.
   */
  limitHeaders: readonly string[];
  /** How the caller's budget counts the request while it is in flight. Null before it is admitted, and without a budget. */
  hold: Hold | null;
  /** Where the cache had no answer and may store one. Null when the cache was not asked. */
  missed: CacheKey | null;
};

/** A request whose route has a model that may serve it. */
export type ChainWalk = Walk & Readonly<{ route: ChainRoute }>;

export const isOnChain = (walk: Walk): walk is ChainWalk => walk.route.kind === 'chain';
