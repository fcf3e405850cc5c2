// Every gw_* series of the data plane in one table. The request path counts in plain fields; they
// are handed to prom-client when somebody scrapes.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { addDurations, newDurations, secondsBounds } from './histogram.ts';
import type { Durations } from './histogram.ts';

const metrics = {
  requests: ['gw_requests_total', 'Requests on the proxied routes'],
  requestsFailed: ['gw_requests_failed_total', 'Requests answered with 5xx or cut off'],
  outcomes: ['gw_request_outcomes_total', 'Requests by outcome'],
  rejections: ['gw_rejections_total', 'Requests refused by the gateway itself, by reason'],
  upstreamStatus: ['gw_upstream_status_total', 'Answers of backends by class of status'],
  retries: ['gw_retries_total', 'Attempts at a sibling backend of the same model'],
  failovers: ['gw_failovers_total', 'Moves to the next model of a chain'],
  fallbackUsed: ['gw_fallback_used_total', 'Requests that the fallback model answered'],
  cache: ['gw_cache_total', 'Look-ups in the response cache, and answers stored in it'],
  cacheEntries: ['gw_cache_entries', 'Answers in the response cache'],
  cacheBytes: ['gw_cache_bytes', 'Bytes that the response cache holds'],
  usageDropped: ['gw_usage_reports_dropped_total', 'Usage events lost to a full queue'],
  snapshotVersion: ['gw_snapshot_version', 'Version of the configuration being served'],
  snapshotAge: ['gw_snapshot_age_seconds', 'Seconds since the configuration was last confirmed'],
  buildInfo: ['gw_build_info', 'Constant 1, with the version'],
  requestDuration: ['gw_request_duration_seconds', 'Time from request to end of answer'],
  firstToken: ['gw_time_to_first_token_seconds', 'Time from request to the first byte of the body'],
  modelRequests: ['gw_model_requests_total', 'Requests by the model that answered'],
  modelDuration: ['gw_model_duration_seconds', 'Time of requests by the model that answered'],
  backendRequests: ['gw_backend_requests_total', 'Attempts at a backend'],
  backendErrors: ['gw_backend_errors_total', 'Attempts that failed or were answered with 5xx'],
  backendDuration: ['gw_backend_duration_seconds', 'Time of attempts that were answered'],
  backendInFlight: ['gw_backend_inflight', 'Attempts in flight'],
  backendHealthy: ['gw_backend_healthy', '1 while the backend is taken for healthy'],
  backendEjections: ['gw_backend_ejections_total', 'Times a backend was taken out of rotation'],
} as const satisfies Readonly<Record<string, readonly [name: string, help: string]>>;

const outcome = ['ok', 'rejected', 'upstream_error', 'unavailable'] as const;
const rejection = [
  'unauthenticated',
  'unauthorised',
  'over_budget',
  'rate_limited',
  'model_not_found',
  'body_too_large',
  'overloaded',
  'malformed',
  'unsupported',
  'no_snapshot',
] as const;
const statusClass = ['success', 'client_error', 'rate_limited', 'server_error'] as const;

const cacheEvent = ['hit', 'miss', 'store'] as const;

export type Outcome = (typeof outcome)[number];
export type Rejection = (typeof rejection)[number];
type Counted<Key extends string> = Record<Key, number>;

/** What the request path adds to. */
export type Counts = {
  requests: number;
  requestsFailed: number;
  retries: number;
  failovers: number;
  fallbackUsed: number;
  usageDropped: number;
  readonly outcomes: Counted<Outcome>;
  readonly rejections: Counted<Rejection>;
  readonly upstreamStatus: Counted<(typeof statusClass)[number]>;
  readonly cache: Counted<(typeof cacheEvent)[number]>;
  readonly requestDuration: Durations;
  readonly firstToken: Durations;
};

export type BackendReading = Readonly<{
  apiBase: string;
  /** The upstream's own name of the model. */
  model: string;
  requests: number;
  errors: number;
  inFlight: number;
  isHealthy: boolean;
  ejections: number;
  durations: Durations;
}>;

export type ModelReading = Readonly<{ model: string; requests: number; durations: Durations }>;

export type Readings = Readonly<{
  snapshotVersion: number;
  snapshotAgeSeconds: number;
  cache: Readonly<{ entries: number; bytes: number }>;
  models: readonly ModelReading[];
  backends: readonly BackendReading[];
}>;

export const newCounts = (): Counts => ({
  requests: 0,
  requestsFailed: 0,
  retries: 0,
  failovers: 0,
  fallbackUsed: 0,
  usageDropped: 0,
  outcomes: { ok: 0, rejected: 0, upstream_error: 0, unavailable: 0 },
  rejections: {
    unauthenticated: 0,
    unauthorised: 0,
    over_budget: 0,
    rate_limited: 0,
    model_not_found: 0,
    body_too_large: 0,
    overloaded: 0,
    malformed: 0,
    unsupported: 0,
    no_snapshot: 0,
  },
  cache: { hit: 0, miss: 0, store: 0 },
  upstreamStatus: { success: 0, client_error: 0, rate_limited: 0, server_error: 0 },
  requestDuration: newDurations(),
  firstToken: newDurations(),
});

/** A 429 is kept apart from the other 4xx: it speaks of the backend's load. */
export function countStatus(counts: Counts, status: number): void {
  if (status === 429) counts.upstreamStatus.rate_limited++;
  else if (status >= 500) counts.upstreamStatus.server_error++;
  else if (status >= 400) counts.upstreamStatus.client_error++;
  else counts.upstreamStatus.success++;
}

export type MetricsPage = Readonly<{ contentType: string; render: () => Promise<string> }>;

export function createMetricsPage(
  counts: Counts,
  source: Readonly<{ version: string; read: () => Readings }>,
): MetricsPage {
  const registry = new Registry();
  registerTotals(registry, counts);
  registerCache(registry, counts, source.read);
  registerSnapshot(registry, source);
  registerBackends(registry, source.read);
  registerModels(registry, source.read);
  return { contentType: registry.contentType, render: () => registry.metrics() };
}

type Series = Readonly<{ labels: Readonly<Record<string, string>>; value: number }>;

const describe = ([name, help]: readonly [string, string]) => ({ name, help });

const by = (label: string, values: Readonly<Record<string, number>>) => (): readonly Series[] =>
  Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));

function registerTotals(registry: Registry, counts: Counts): void {
  const total = (key: 'requests' | 'requestsFailed' | 'retries' | 'failovers' | 'fallbackUsed') =>
    registerCounter(registry, metrics[key], () => [{ labels: {}, value: counts[key] }]);
  total('requests');
  total('requestsFailed');
  total('retries');
  total('failovers');
  total('fallbackUsed');
  registerCounter(registry, metrics.usageDropped, () => [
    { labels: {}, value: counts.usageDropped },
  ]);
  registerCounter(registry, metrics.outcomes, by('outcome', counts.outcomes), ['outcome']);
  registerCounter(registry, metrics.rejections, by('reason', counts.rejections), ['reason']);
  registerCounter(registry, metrics.upstreamStatus, by('class', counts.upstreamStatus), ['class']);
  registerDurations(registry, metrics.requestDuration, () => [
    { labels: {}, durations: counts.requestDuration },
  ]);
  registerDurations(registry, metrics.firstToken, () => [
    { labels: {}, durations: counts.firstToken },
  ]);
}

function registerSnapshot(
  registry: Registry,
  source: Readonly<{ version: string; read: () => Readings }>,
): void {
  registerGauge(registry, metrics.snapshotVersion, () => [
    { labels: {}, value: source.read().snapshotVersion },
  ]);
  registerGauge(registry, metrics.snapshotAge, () => [
    { labels: {}, value: Math.max(0, source.read().snapshotAgeSeconds) },
  ]);
  registerGauge(
    registry,
    metrics.buildInfo,
    () => [{ labels: { version: source.version }, value: 1 }],
    ['version'],
  );
}

function registerCache(registry: Registry, counts: Counts, read: () => Readings): void {
  registerCounter(registry, metrics.cache, by('kind', counts.cache), ['kind']);
  registerGauge(registry, metrics.cacheEntries, () => [
    { labels: {}, value: read().cache.entries },
  ]);
  registerGauge(registry, metrics.cacheBytes, () => [{ labels: {}, value: read().cache.bytes }]);
}

const backendLabels = ['api_base', 'model'];
const labelsOf = (reading: BackendReading) => ({ api_base: reading.apiBase, model: reading.model });

/**
 * Two models may lead to one endpoint: their readings are added, so that each series is there
 * once.
 */
function registerBackends(registry: Registry, read: () => Readings): void {
  const each = (value: (reading: BackendReading) => number) => () =>
    read().backends.map((reading) => ({ labels: labelsOf(reading), value: value(reading) }));
  registerCounter(
    registry,
    metrics.backendRequests,
    each((r) => r.requests),
    backendLabels,
  );
  registerCounter(
    registry,
    metrics.backendErrors,
    each((r) => r.errors),
    backendLabels,
  );
  registerCounter(
    registry,
    metrics.backendEjections,
    each((r) => r.ejections),
    backendLabels,
  );
  registerGauge(
    registry,
    metrics.backendInFlight,
    each((r) => r.inFlight),
    backendLabels,
  );
  const healthy = () => {
    const worst = new Map<string, Series>();
    for (const reading of read().backends) {
      const labels = labelsOf(reading);
      const key = JSON.stringify(labels);
      const value = reading.isHealthy ? 1 : 0;
      if ((worst.get(key)?.value ?? 1) === 1) worst.set(key, { labels, value });
    }
    return [...worst.values()];
  };
  registerGauge(registry, metrics.backendHealthy, healthy, backendLabels);
  registerDurations(
    registry,
    metrics.backendDuration,
    () => read().backends.map((r) => ({ labels: labelsOf(r), durations: r.durations })),
    backendLabels,
  );
}

function registerModels(registry: Registry, read: () => Readings): void {
  registerCounter(
    registry,
    metrics.modelRequests,
    () => read().models.map(({ model, requests }) => ({ labels: { model }, value: requests })),
    ['model'],
  );
  registerDurations(
    registry,
    metrics.modelDuration,
    () => read().models.map(({ model, durations }) => ({ labels: { model }, durations })),
    ['model'],
  );
}

function registerCounter(
  registry: Registry,
  metric: readonly [string, string],
  read: () => readonly Series[],
  labelNames: string[] = [],
): void {
  const counter: Counter = new Counter({
    ...describe(metric),
    labelNames,
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { labels, value } of read()) counter.inc(labels, value);
    },
  });
}

function registerGauge(
  registry: Registry,
  metric: readonly [string, string],
  read: () => readonly Series[],
  labelNames: string[] = [],
): void {
  const gauge: Gauge = new Gauge({
    ...describe(metric),
    labelNames,
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const { labels, value } of read()) gauge.inc(labels, value);
    },
  });
}

type DurationSeries = Readonly<{ labels: Readonly<Record<string, string>>; durations: Durations }>;

function registerDurations(
  registry: Registry,
  metric: readonly [string, string],
  read: () => readonly DurationSeries[],
  labelNames: string[] = [],
): void {
  const merged = () => {
    const series = new Map<string, DurationSeries>();
    for (const { labels, durations } of read()) {
      const key = JSON.stringify(labels);
      const sum = series.get(key) ?? { labels, durations: newDurations() };
      addDurations(sum.durations, durations);
      series.set(key, sum);
    }
    return [...series.values()].flatMap((one) => bucketValues(metric[0], one));
  };
  registry.registerMetric(new CountedHistogram(describe(metric), labelNames, merged));
}

type BucketValue = {
  metricName: string;
  labels: Partial<Record<string, string | number>>;
  value: number;
};

function bucketValues(name: string, { labels, durations }: DurationSeries): BucketValue[] {
  let count = 0;
  const buckets = [...durations.counts].map((own, index) => {
    count += own;
    const le = secondsBounds[index] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: durations.sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ];
}

/** prom-client's histogram can only observe one value at a time; this one is told its counts. */
class CountedHistogram extends Histogram {
  readonly #values: () => BucketValue[];
  readonly #base: Readonly<{ name: string; help: string }>;

  constructor(
    base: Readonly<{ name: string; help: string }>,
    labelNames: string[],
    values: () => BucketValue[],
  ) {
    super({ ...base, labelNames, registers: [] });
    this.#base = base;
    this.#values = values;
  }

  override async get() {
    return { ...(await super.get()), ...this.#base, values: this.#values() };
  }

  /** The registry asks for this one when it prints. */
  async getForPromString() {
    return { ...this.#base, type: 'histogram', aggregator: 'sum', values: this.#values() };
  }
}
