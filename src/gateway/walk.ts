// The record of one request. It is created when the route is chosen. Later stages read it and fill in the mutable fields.

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import type { AllottedBudgets } from '../limits/allotted-budgets.ts';
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
import type { SentHeaders } from './outbound/sent-headers.ts';
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
  budgets: AllottedBudgets;
  cache: ResponseCache;
  sentHeaders: SentHeaders;
  classifier: Classifier;
  counts: Counts;
  /** Null when usage is not collected. */
  usage: UsageSink | null;
  log: Log;
  /** Null when tracing is off. */
  tracer: Tracer | null;
  now: Clock;
  monotonic: Clock;
  /** Formats epoch milliseconds as RFC 3339. */
  stamp: (epochMs: number) => string;
  /** The default of backends. */
  firstByteMs: number;
  /** Per request. */
  attemptsMax: number;
  /** At further backends of one model. */
  retriesMax: number;
  /** Distributes requests over several endpoints of one model. */
  policy: PoolPolicy;
}>;

export type Walk = Readonly<{
  context: ProxyContext;
  /** Serves the request from start to end. */
  generation: Generation;
  exchange: Exchange;
  caller: Caller;
  proxied: ProxiedRoute;
  body: Buffer;
  peeked: Peeked;
  request: RoutedRequest;
  route: Route;
  ruleInputs: RuleInputs | null;
}> & {
  /**
   * The remaining rate limits, for every answer: alternating names and values. Empty before the
   * request is admitted, and without limits.
   */
  limitHeaders: readonly string[];
  /** Reserves budget while the request is in flight. Null before it is admitted, and without a budget. */
  hold: Hold | null;
  /** Null when the cache was not used. */
  missed: CacheKey | null;
};

/** A request whose route has a candidate. */
export type ChainWalk = Walk & Readonly<{ route: ChainRoute }>;

export const isOnChain = (walk: Walk): walk is ChainWalk => walk.route.kind === 'chain';
