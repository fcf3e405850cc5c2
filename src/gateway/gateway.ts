// Composes the data plane from its dependencies, starts it and drains it (specification, "Limits": shutdown).

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { createStamps } from '../lib/clock.ts';
import type { Encoders } from '../classifier/encoder.ts';
import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import { attemptsMaxDefault } from '../routing/retry.ts';
import { AllottedBudgets } from '../limits/allotted-budgets.ts';
import { Limiter } from '../limits/limiter.ts';
import { Spending } from '../limits/spending.ts';
import type { HealthReport } from '../snapshot/health-report.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetricsPage, newCounts } from '../telemetry/metrics.ts';
import type { Counts, MetricsPage, OwnMetricsPage } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { Source } from '../telemetry/scrape.ts';
import { createUlids } from '../usage/ulid.ts';
import { answerRefusal, errorBody, refuseRequest } from './answer.ts';
import { cacheBoundsDefault, ResponseCache } from './cache/cache.ts';
import type { CacheBounds } from './cache/cache.ts';
import { createClassifier, noClassifier } from './classifier.ts';
import { healthReportOf } from './control-link/health-report.ts';
import { nextGeneration, readGeneration } from './generation.ts';
import type { Generation } from './generation.ts';
import { createScrape } from './engine-metrics/scrape.ts';
import { startScraper } from './engine-metrics/scraper.ts';
import { createProbe } from './health/probe.ts';
import { startProber } from './health/prober.ts';
import type { Live } from './config/live.ts';
import { watchMemory } from './admission/memory-watch.ts';
import type { UsageSink } from './usage/meter.ts';
import { SentHeaders } from './outbound/sent-headers.ts';
import { backendHealth, pageAt, servePage } from './pages.ts';
import type { PagesContext } from './pages.ts';
import type { Pressure } from './admission/pressure.ts';
import { proxy } from './proxy.ts';
import { noteAnswer } from './traced.ts';
import { createBodyBudget } from './transport/body.ts';
import type { Exchange } from './transport/boundary.ts';
import { startServer } from './transport/server.ts';
import type { Server, ServerLimits } from './transport/server.ts';
import { createUpstreams } from './transport/upstream.ts';
import type { UpstreamOptions } from './transport/upstream.ts';
import { createWatch } from './transport/watch.ts';
import type { Watch } from './transport/watch.ts';
import type { ProxyContext } from './walk.ts';

export type GatewayOptions = Readonly<{
  host: string;
  port: number;
  version: string;
  live: Live;
  log: Log;
  /** Null when usage is not collected. */
  usage: UsageSink | null;
  /** Shared with the reporter, which counts the rows that it drops. */
  counts?: Counts;
  /** Closed with the gateway. Without it no request is traced. */
  tracer?: Tracer | null;
  /** Shared with the reconciliation between replicas. */
  limiter?: Limiter;
  /** Shared with the delivery of usage. */
  spending?: Spending;
  /** Shared with the reconciliation between replicas. It must use the same `spending`. */
  budgets?: AllottedBudgets;
  /** Without encoders no prompt is classified. */
  encoders?: Encoders;
  upstream: UpstreamOptions;
  /** Without it endpoints are not probed. */
  probes?: Readonly<{ intervalMs: number; timeoutMs: number }>;
  /** Without it engine metrics are not read. */
  engineMetrics?: Readonly<{ intervalMs: number }>;
  /** More sources of the metrics page, such as the usage spool. */
  sources?: readonly Source[];
  /** Combines this page with those of the processes that share the port. Without it the page shows only this process. */
  shareMetrics?: (own: OwnMetricsPage) => MetricsPage;
  firstByteMs: number;
  /** Per request. Default: 8. */
  attemptsMax?: number;
  /** At further backends of one model. Default: unlimited. */
  retriesMax?: number;
  /** Distributes requests over several endpoints of one model. Default: cache-affinity. */
  policy?: PoolPolicy;
  cache?: CacheBounds;
  bodyBytesMax: number;
  bodiesInFlightBytesMax: number;
  limits?: Partial<ServerLimits>;
  /** True when Node's parser reads all requests, not only the unusual ones. */
  parsesAll?: boolean;
  /** Measured when absent. */
  pressure?: () => Pressure;
  tickMs?: number;
  now?: Clock;
  monotonic?: Clock;
}>;

export type Gateway = Readonly<{
  url: string;
  counts: Counts;
  backends: () => ReturnType<typeof backendHealth>;
  /** `replica` identifies this process. */
  healthReport: (replica: string) => HealthReport;
  /** From now on /readyz answers 503. Everything else is served as before. */
  leave: () => void;
  close: (graceMs: number) => Promise<void>;
}>;

/** Idle connections are closed at this interval while draining. */
const drainCheckMs = 50;
/** For exporting queued spans on close. */
const traceFlushMs = 3000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { live, encoders, now = Date.now } = options;
  const limits = limitsOf(options);
  const log = options.log.of('gateway');
  const monotonic = options.monotonic ?? (() => performance.now());
  const counts = options.counts ?? newCounts();
  const watch = createWatch(options.tickMs);
  const upstreams = createUpstreams(watch, options.upstream);
  const cache = new ResponseCache(options.cache ?? cacheBoundsDefault, counts.cache);
  let generation: Generation | null = null;
  const classifier =
    encoders === undefined ? noClassifier : createClassifier({ encoders, log, monotonic });
  let isDraining = false;
  live.onApply((snapshot) => {
    generation = nextGeneration(generation, snapshot, now());
    limits.budgets.keepOnly((principalId) => snapshot.budgeted.has(principalId));
    cache.serve(snapshot.edition);
    classifier.serve(snapshot);
    upstreams.keepOnly(new Set(generation.backends.map(({ backend }) => backend.origin)));
  });
  const context: ProxyContext = {
    generation: () => generation,
    upstreams,
    ...limits,
    cache,
    sentHeaders: new SentHeaders(),
    classifier,
    counts,
    usage: options.usage,
    log,
    tracer: options.tracer ?? null,
    now,
    monotonic,
    stamp: createStamps(),
    firstByteMs: options.firstByteMs,
    attemptsMax: options.attemptsMax ?? attemptsMaxDefault,
    retriesMax: options.retriesMax ?? Infinity,
    policy: options.policy ?? 'cache-affinity',
  };
  const startedAt = monotonic();
  const pages: PagesContext = {
    generation: () => generation,
    counts,
    isDraining: () => isDraining,
    metricsPage: metricsPageOf(options, context),
    now,
    uptimeSeconds: () => (monotonic() - startedAt) / 1000,
  };
  const memory = watchMemory({ log, monotonic, onHigh: () => cache.empty() });
  const pressure = options.pressure ?? memory.pressure;
  const server = await listen(options, { context, pages, watch, pressure });
  const stopProbes = probeEndpoints(options, () => generation);
  const stopScrapes = scrapeEngines(options, () => generation);
  const leave = (): void => void (isDraining = true);
  const close = async (graceMs: number): Promise<void> => {
    leave();
    await drain(server, log, graceMs, monotonic);
    await Promise.all([stopProbes(), stopScrapes()]);
    watch.stop();
    memory.stop();
    await upstreams.close();
    await options.tracer?.close(traceFlushMs);
  };
  const backends = () => backendHealth(generation, now());
  const healthReport = (replica: string): HealthReport => {
    const own = { version: options.version, uptimeSeconds: pages.uptimeSeconds(), counts, cache };
    return healthReportOf({ replica, live, backends: backends(), ...own });
  };
  return { url: server.url, counts, backends, healthReport, leave, close };
}

function limitsOf({ limiter = new Limiter(), ...options }: GatewayOptions) {
  const { spending = new Spending() } = options;
  return { limiter, spending, budgets: options.budgets ?? new AllottedBudgets({ spending }) };
}

type Served = Readonly<{
  context: ProxyContext;
  pages: PagesContext;
  watch: Watch;
  pressure: () => Pressure;
}>;

function listen(options: GatewayOptions, served: Served): Promise<Server> {
  const { context, pages, watch, pressure } = served;
  const { now, monotonic, log } = context;
  const newId = createUlids({ now, randomBytes });
  return startServer({
    host: options.host,
    port: options.port,
    context: {
      watch,
      bodyBudget: createBodyBudget(options.bodiesInFlightBytesMax, () => pressure() === 'critical'),
      bodyBytesMax: options.bodyBytesMax,
      now,
      monotonic,
      newId,
    },
    handle: (exchange) => handle(context, pages, exchange),
    disablesKeepAlive: () => pressure() === 'severe' || pressure() === 'critical',
    connectionsRefused: context.counts.connectionsRefused,
    onConnectionsRefused: (connections) => log.warn({ connections }, 'connections were refused'),
    onFault: (error) => log.error({ error }, 'a connection was not accepted'),
    malformedAnswer: (message) => {
      const requestId = newId();
      return { requestId, body: errorBody('malformed_request', message, requestId, null) };
    },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    parsesAll: options.parsesAll ?? false,
  });
}

function metricsPageOf(
  { live, version, now = Date.now, sources = [], shareMetrics }: GatewayOptions,
  { counts, cache, usage, tracer, classifier, generation }: ProxyContext,
): MetricsPage {
  const own = createMetricsPage(counts, {
    version,
    isMetered: usage !== null,
    sources: [tracer?.source ?? null, classifier.source, ...sources].filter(
      (source) => source !== null,
    ),
    read: () => ({
      snapshotVersion: live.current()?.version ?? 0,
      snapshotAgeSeconds: live.ageSeconds(),
      isSnapshotRefused: live.refused() !== null,
      cache,
      ...readGeneration(generation(), now()),
    }),
  });
  return shareMetrics === undefined ? own : shareMetrics(own);
}

/** Returns a function that stops the probes. */
function probeEndpoints(
  { probes, upstream, log, now = Date.now, monotonic }: GatewayOptions,
  generation: () => Generation | null,
): () => Promise<void> {
  if (probes === undefined) return async () => {};
  const { intervalMs, timeoutMs } = probes;
  const { probe, close } = createProbe({ ...upstream, timeoutMs });
  const prober = startProber({
    endpoints: () => generation()?.endpoints ?? [],
    probe,
    intervalMs,
    log: log.of('gateway'),
    now,
    monotonic: monotonic ?? (() => performance.now()),
    random: Math.random,
  });
  return () => {
    prober.close();
    return close();
  };
}

/** Returns a function that stops the scrapes. */
function scrapeEngines(
  { engineMetrics, upstream, log, now = Date.now, monotonic }: GatewayOptions,
  generation: () => Generation | null,
): () => Promise<void> {
  if (engineMetrics === undefined) return async () => {};
  const { scrape, close } = createScrape(upstream);
  const scraper = startScraper({
    endpoints: () => generation()?.endpoints ?? [],
    scrape,
    intervalMs: engineMetrics.intervalMs,
    log: log.of('gateway'),
    now,
    monotonic: monotonic ?? (() => performance.now()),
    random: Math.random,
  });
  return () => {
    scraper.close();
    return close();
  };
}

/** The error boundary: an exception ends only this request. */
function handle(context: ProxyContext, pages: PagesContext, exchange: Exchange): void {
  const end = (): void => exchange.trace?.end(context.monotonic() - exchange.startedAt);
  const fail = (error: unknown): void => {
    answerFault(context, exchange, error);
    end();
  };
  try {
    const page = pageAt(exchange.path);
    const ending = page === undefined ? proxy(context, exchange) : servePage(pages, exchange, page);
    if (ending instanceof Promise) void ending.then(end, fail);
    else end();
  } catch (error) {
    fail(error);
  }
}

function answerFault(context: ProxyContext, exchange: Exchange, error: unknown): void {
  context.log.error(
    { error, request_id: exchange.requestId },
    'a request failed with an internal error',
  );
  if (exchange.hasStarted) exchange.cut();
  else {
    noteAnswer(exchange, 500);
    answerRefusal(
      exchange,
      refuseRequest('internal_error', 'the gateway failed; report the request id to the operator'),
    );
  }
}

async function drain(server: Server, log: Log, graceMs: number, monotonic: Clock): Promise<void> {
  const deadline = monotonic() + graceMs;
  server.stopAccepting();
  server.closeIdle();
  while (server.inFlight() > 0 && monotonic() < deadline) {
    await sleep(drainCheckMs);
    server.closeIdle();
  }
  const left = server.inFlight();
  if (left > 0)
    log.warn(
      { connections: left },
      'requests were cut off at the end of the shutdown grace period',
    );
  server.closeAll();
  await server.close();
}
