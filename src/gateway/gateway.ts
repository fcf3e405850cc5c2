// The data plane as one value: everything below is composed here from what it is given, started,
// and drained again (specification, "Limits": shutdown).

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { createStamps } from '../lib/clock.ts';
import type { Encoders } from '../classifier/encoder.ts';
import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy } from '../lib/vocabulary.ts';
import { attemptsMaxDefault } from '../routing/retry.ts';
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
  /** Shown as the version of the build. */
  version: string;
  live: Live;
  log: Log;
  /** Where usage rows go; null when there is nobody to take them. */
  usage: UsageSink | null;
  /** Shared with the reporter, which counts what it drops. */
  counts?: Counts;
  /** Closed with the gateway; no request is traced without it. */
  tracer?: Tracer | null;
  /** Shared with what reconciles it with other replicas. */
  limiter?: Limiter;
  /** Shared with what delivers usage. */
  spending?: Spending;
  /** What prompts are classified with; without it none is. */
  encoders?: Encoders;
  upstream: UpstreamOptions;
  /** How often each endpoint is probed, and how long it may take; when absent, none is. */
  probes?: Readonly<{ intervalMs: number; timeoutMs: number }>;
  /** How often the metrics of engines are read; when absent, they are not. */
  engineMetrics?: Readonly<{ intervalMs: number }>;
  /** What else the page of metrics shows, such as the spool of usage. */
  sources?: readonly Source[];
  /** Makes the page of all processes that share the port out of this one's; its own alone when absent. */
  shareMetrics?: (own: OwnMetricsPage) => MetricsPage;
  firstByteMs: number;
  /** Attempts of one request; 8 when absent. */
  attemptsMax?: number;
  /** Attempts at further backends of one model; unbounded when absent. */
  retriesMax?: number;
  /** Spreads requests over several endpoints of one model; cache-affinity when absent. */
  policy?: PoolPolicy;
  cache?: CacheBounds;
  bodyBytesMax: number;
  bodiesInFlightBytesMax: number;
  limits?: Partial<ServerLimits>;
  /** Whether Node's parser reads all requests; without it only the unusual ones. */
  parsesAll?: boolean;
  /** How near the process is to the end of its memory; watched when absent. */
  pressure?: () => Pressure;
  tickMs?: number;
  now?: Clock;
  monotonic?: Clock;
}>;

export type Gateway = Readonly<{
  url: string;
  counts: Counts;
  backends: () => ReturnType<typeof backendHealth>;
  /** For the control plane; `replica` names this process among the others. */
  healthReport: (replica: string) => HealthReport;
  /** /readyz is 503 from now on; everything else is served as before. */
  leave: () => void;
  close: (graceMs: number) => Promise<void>;
}>;

/** While draining, connections that fall idle are closed so often. */
const drainCheckMs = 50;
/** For the spans that are queued when the gateway closes. */
const traceFlushMs = 3000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { live, spending = new Spending(), now = Date.now } = options;
  const log = options.log.of('gateway');
  const monotonic = options.monotonic ?? (() => performance.now());
  const counts = options.counts ?? newCounts();
  const watch = createWatch(options.tickMs);
  const upstreams = createUpstreams(watch, options.upstream);
  const cache = new ResponseCache(options.cache ?? cacheBoundsDefault, counts.cache);
  let generation: Generation | null = null;
  const { encoders } = options;
  const classifier =
    encoders === undefined ? noClassifier : createClassifier({ encoders, log, monotonic });
  let isDraining = false;
  live.onApply((snapshot) => {
    generation = nextGeneration(generation, snapshot, now());
    spending.keepOnly((principalId) => snapshot.budgeted.has(principalId));
    cache.serve(snapshot.edition);
    classifier.serve(snapshot);
    upstreams.keepOnly(new Set(generation.backends.map(({ backend }) => backend.origin)));
  });
  const context: ProxyContext = {
    generation: () => generation,
    upstreams,
    limiter: options.limiter ?? new Limiter(),
    spending,
    cache,
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
    const uptimeSeconds = pages.uptimeSeconds();
    return healthReportOf({ replica, live, uptimeSeconds, backends: backends(), counts, cache });
  };
  return { url: server.url, counts, backends, healthReport, leave, close };
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
    handle: (exchange) => void handle(context, pages, exchange),
    disablesKeepAlive: () => pressure() === 'severe' || pressure() === 'critical',
    connectionsRefused: context.counts.connectionsRefused,
    onConnectionsRefused: (connections) =>
      log.warn({ connections }, 'connections were turned away'),
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

/** Answers with what ends it. */
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

/** Answers with what ends it. */
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

/** The boundary of a request: whatever is thrown below ends this one request and no other. */
async function handle(context: ProxyContext, pages: PagesContext, exchange: Exchange) {
  try {
    const page = pageAt(exchange.path);
    await (page === undefined ? proxy(context, exchange) : servePage(pages, exchange, page));
  } catch (error) {
    context.log.error({ error, request_id: exchange.requestId }, 'a request failed inside');
    if (exchange.hasStarted) exchange.cut();
    else {
      noteAnswer(exchange, 500);
      answerRefusal(exchange, refuseRequest('internal_error', 'the gateway failed'));
    }
  } finally {
    exchange.trace?.end(context.monotonic() - exchange.startedAt);
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
  if (left > 0) log.warn({ connections: left }, 'requests were cut off at the end of the grace');
  server.closeAll();
  await server.close();
}
