// Serves the routes that are not proxied: models, health, readiness and metrics.

import type { Clock } from '../lib/clock.ts';
import type { BackendReport } from '../snapshot/health-report.ts';
import type { BackendReading, Counts, MetricsPage } from '../telemetry/metrics.ts';
import { answerJson, answerRefusal, refuseRequest, rejectionOf } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { readGeneration } from './generation.ts';
import type { Generation } from './generation.ts';
import { listModels, listModelsNatively } from './models.ts';
import { noSnapshot, notFound } from './refusals.ts';
import type { Exchange } from './transport/boundary.ts';

export type PagesContext = Readonly<{
  generation: () => Generation | null;
  counts: Pick<Counts, 'rejections'>;
  isDraining: () => boolean;
  metricsPage: MetricsPage;
  now: Clock;
  uptimeSeconds: () => number;
}>;

type Page = (context: PagesContext, exchange: Exchange) => void | Promise<void>;

const pages: ReadonlyMap<string, Page> = new Map([
  ['/models', answerModels],
  ['/v1/models', answerModels],
  ['/health', answerHealth],
  ['/healthz', (_, exchange) => answerJson(exchange, 200, { status: 'ok' })],
  ['/readyz', answerReadiness],
  ['/metrics', answerMetrics],
] satisfies [string, Page][]);

export function pageAt(path: string): Page | undefined {
  return pages.get(path) ?? (modelPath.test(path) ? answerModel : undefined);
}

/** Model names may contain slashes. */
const modelPath = /^(?:\/v1)?\/models\/(.+)$/;

export async function servePage(context: PagesContext, exchange: Exchange, page: Page) {
  const { malformed, method } = exchange;
  if (malformed !== null) {
    return answerRefusal(exchange, refuseRequest('malformed_request', malformed));
  }
  if (method === 'GET' || method === 'HEAD') return page(context, exchange);
  answerRefusal(exchange, onlyGet);
}

const onlyGet = refuseRequest('method_not_allowed', 'this path supports only GET and HEAD', {
  allow: 'GET, HEAD',
});

function answerModels(context: PagesContext, exchange: Exchange): void {
  const list = usableModels(context, exchange);
  if ('reason' in list) return refusePage(context, exchange, list);
  answerJson(exchange, 200, list);
}

/** Any other name is 404, even if another key could use it. */
function answerModel(context: PagesContext, exchange: Exchange): void {
  const list = usableModels(context, exchange);
  if ('reason' in list) return refusePage(context, exchange, list);
  const name = decoded(modelPath.exec(exchange.path)?.[1] ?? '');
  const entry = list.data.find(({ id }) => id === name);
  if (entry === undefined) return refusePage(context, exchange, notFound(name));
  answerJson(exchange, 200, entry);
}

function usableModels(context: PagesContext, exchange: Exchange) {
  const generation = context.generation();
  if (generation === null) return noSnapshot;
  const caller = authenticate(generation, exchange, context.now());
  if ('reason' in caller) return caller;
  const isNative = exchange.header('anthropic-version') !== undefined;
  return isNative ? listModelsNatively(generation, caller) : listModels(generation, caller);
}

/** Invalid encoding is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Counted like refusals of proxied routes, because keys can be guessed here too. */
function refusePage(context: PagesContext, exchange: Exchange, refusal: GatewayRefusal): void {
  const rejection = rejectionOf(refusal.reason);
  if (rejection !== null) context.counts.rejections[rejection]++;
  answerRefusal(exchange, refusal);
}

/** Always 200: this page is for people. Load balancers use the readiness route. */
function answerHealth(context: PagesContext, exchange: Exchange): void {
  const generation = context.generation();
  const backends = backendHealth(generation, context.now());
  const isServing = backends.some(({ healthy }) => healthy);
  const status = isServing ? 'ok' : 'no_healthy_backends';
  answerJson(exchange, 200, {
    status: generation === null ? 'no_snapshot' : status,
    snapshot_version: generation?.snapshot.version ?? 0,
    uptime_seconds: Math.floor(context.uptimeSeconds()),
    keys: generation?.snapshot.callers.size ?? 0,
    backends,
  });
}

/** For the health page and the admin API of this process. */
export const backendHealth = (
  generation: Generation | null,
  nowMs: number,
): readonly BackendReport[] => readGeneration(generation, nowMs).backends.map(reportOf);

function reportOf(backend: BackendReading): BackendReport {
  const { engine, admission } = backend;
  const report: BackendReport = {
    api_base: backend.apiBase,
    model: backend.model,
    healthy: backend.isHealthy,
    inflight: backend.inFlight,
    requests_total: backend.requests,
    errors_total: backend.errors,
  };
  if (engine !== null) report.engine = { running: engine.running, waiting: engine.waiting };
  if (admission !== null) {
    report.admission = {
      max_concurrent: admission.concurrentMax,
      capacity: admission.capacity,
      in_use: admission.inUse,
      queued: admission.queued,
      admitted_total: admission.admitted,
      refused_full_total: admission.refusedFull,
      refused_timed_out_total: admission.refusedTimedOut,
    };
  }
  return report;
}

function answerReadiness(context: PagesContext, exchange: Exchange): void {
  if (context.isDraining()) return answerJson(exchange, 503, { status: 'draining' });
  if (context.generation() === null) return answerJson(exchange, 503, { status: 'no_snapshot' });
  answerJson(exchange, 200, { status: 'ready' });
}

async function answerMetrics(context: PagesContext, exchange: Exchange): Promise<void> {
  const { metricsPage } = context;
  exchange.answer(200, ['content-type', metricsPage.contentType], await metricsPage.render());
}
