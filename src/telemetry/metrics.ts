// Counts events of the request path in plain fields, and adds them to the page at a scrape.

import { performance } from 'node:perf_hooks';

import type { ConnectionsRefused } from '../ingress/bound-connections.ts';
import { newDurations } from './histogram.ts';
import type { Durations } from './histogram.ts';
import type { Family } from './merge-pages.ts';
import { metricsContentType, readFamilies, renderMetrics } from './registry.ts';
import type { Scrape, Source } from './scrape.ts';

const outcome = ['ok', 'rejected', 'upstream_error', 'unavailable'] as const;
const rejection = [
  'unauthenticated',
  'unauthorised',
  'over_budget',
  'rate_limited',
  'model_not_found',
  'body_too_large',
  'overloaded',
  'backend_overloaded',
  'malformed',
  'unsupported',
  'no_snapshot',
] as const;
const statusClass = ['success', 'client_error', 'rate_limited', 'server_error'] as const;

const snapshotKind = ['whole', 'delta', 'mismatched'] as const;
const cacheEvent = ['hit', 'miss', 'store'] as const;

export type Outcome = (typeof outcome)[number];
export type Rejection = (typeof rejection)[number];
type Counted<Key extends string> = Record<Key, number>;

/** Incremented on the request path. */
export type Counts = {
  requests: number;
  requestsFailed: number;
  retries: number;
  failovers: number;
  fallbackUsed: number;
  /** Answers with parts of tokens that exceeded their total. */
  usageClamped: number;
  usageDropped: number;
  readonly outcomes: Counted<Outcome>;
  readonly rejections: Counted<Rejection>;
  readonly connectionsRefused: ConnectionsRefused;
  readonly upstreamStatus: Counted<(typeof statusClass)[number]>;
  readonly cache: Counted<(typeof cacheEvent)[number]>;
  /** Received from the control plane. */
  readonly snapshots: Counted<(typeof snapshotKind)[number]>;
  readonly requestDuration: Durations;
  readonly firstToken: Durations;
};

/** Per replica. */
export type AdmissionReading = Readonly<{
  concurrentMax: number;
  /** The current ceiling. */
  capacity: number;
  inUse: number;
  queued: number;
  admitted: number;
  refusedFull: number;
  refusedTimedOut: number;
}>;

export type BackendReading = Readonly<{
  apiBase: string;
  /** The upstream's name of the model. */
  model: string;
  requests: number;
  errors: number;
  inFlight: number;
  isHealthy: boolean;
  ejections: number;
  durations: Durations;
  /** Null if the engine publishes no metrics, or none recently. */
  engine: Readonly<{ running: number; waiting: number }> | null;
  /** Null if flow control is off. */
  admission: AdmissionReading | null;
}>;

export type ModelReading = Readonly<{
  model: string;
  requests: number;
  /** Token counts reported in answers. */
  promptTokens: number;
  completionTokens: number;
  /** The same tokens by kind. Each counts once. */
  tokens: Readonly<Record<string, number>>;
  durations: Durations;
  firstToken: Durations;
}>;

export type CacheReading = Readonly<{ entries: number; bytes: number }>;

/** The snapshot that a process serves or publishes. */
export type SnapshotReading = Readonly<{
  /** 0 before the first. */
  snapshotVersion: number;
  snapshotAgeSeconds: number;
}>;

export type Readings = SnapshotReading &
  Readonly<{
    isSnapshotRefused: boolean;
    cache: CacheReading;
    models: readonly ModelReading[];
    backends: readonly BackendReading[];
  }>;

export const newCounts = (): Counts => ({
  requests: 0,
  requestsFailed: 0,
  retries: 0,
  failovers: 0,
  fallbackUsed: 0,
  usageClamped: 0,
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
    backend_overloaded: 0,
    malformed: 0,
    unsupported: 0,
    no_snapshot: 0,
  },
  connectionsRefused: { total: 0, address: 0 },
  cache: { hit: 0, miss: 0, store: 0 },
  snapshots: { whole: 0, delta: 0, mismatched: 0 },
  upstreamStatus: { success: 0, client_error: 0, rate_limited: 0, server_error: 0 },
  requestDuration: newDurations(),
  firstToken: newDurations(),
});

/** Counts 429 apart from other 4xx, because it indicates the backend's load. */
export function countStatus(counts: Counts, status: number): void {
  if (status === 429) counts.upstreamStatus.rate_limited++;
  else if (status >= 500) counts.upstreamStatus.server_error++;
  else if (status >= 400) counts.upstreamStatus.client_error++;
  else counts.upstreamStatus.success++;
}

export type MetricsPage = Readonly<{ contentType: string; render: () => Promise<string> }>;

/** The page of one process, which can be merged with those of others. */
export type OwnMetricsPage = MetricsPage & Readonly<{ families: () => Promise<readonly Family[]> }>;

/** `sources` are those of optional subsystems. */
export function createMetricsPage(
  counts: Counts,
  source: Readonly<{
    version: string;
    /** True if answers are parsed for their token counts. */
    isMetered: boolean;
    sources?: readonly Source[];
    read: () => Readings;
  }>,
): OwnMetricsPage {
  const { version, isMetered, read, sources = [] } = source;
  const gateway: Source = (scrape) => {
    const readings = read();
    addProcess(scrape, version);
    addSnapshot(scrape, readings);
    scrape.add('snapshotRefused', {}, readings.isSnapshotRefused ? 1 : 0);
    addCounts(scrape, counts);
    addCache(scrape, counts, readings.cache);
    for (const model of readings.models) addModel(scrape, model, isMetered);
    for (const backend of readings.backends) addBackend(scrape, backend);
  };
  return {
    contentType: metricsContentType,
    render: () => renderMetrics([gateway, ...sources]),
    families: () => readFamilies([gateway, ...sources]),
  };
}

export function addProcess(scrape: Scrape, version: string): void {
  scrape.add('buildInfo', { version }, 1);
  const { user, system } = process.cpuUsage();
  scrape.add('processCpu', {}, (user + system) / 1e6);
  scrape.add('processMemory', {}, process.memoryUsage.rss());
  scrape.add('processStart', {}, performance.timeOrigin / 1000);
  const { active, idle } = performance.eventLoopUtilization();
  scrape.add('eventLoop', { state: 'active' }, active / 1000);
  scrape.add('eventLoop', { state: 'idle' }, idle / 1000);
}

export function addConnectionsRefused(scrape: Scrape, refused: ConnectionsRefused): void {
  for (const [reason, value] of Object.entries(refused)) {
    scrape.add('connectionsRefused', { reason }, value);
  }
}

/** Omits the age before the first configuration, because a small age would look healthy. */
export function addSnapshot(scrape: Scrape, reading: SnapshotReading): void {
  scrape.add('snapshotVersion', {}, reading.snapshotVersion);
  if (reading.snapshotVersion > 0) {
    scrape.add('snapshotAge', {}, Math.max(0, reading.snapshotAgeSeconds));
  }
}

/** Exports every value of a bounded label, also at zero. */
function addCounts(scrape: Scrape, counts: Counts): void {
  scrape.add('requests', {}, counts.requests);
  scrape.add('requestsFailed', {}, counts.requestsFailed);
  scrape.add('retries', {}, counts.retries);
  scrape.add('failovers', {}, counts.failovers);
  scrape.add('fallbackUsed', {}, counts.fallbackUsed);
  scrape.add('usageClamped', {}, counts.usageClamped);
  scrape.add('usageDropped', {}, counts.usageDropped);
  for (const [outcome, value] of Object.entries(counts.outcomes)) {
    scrape.add('outcomes', { outcome }, value);
  }
  for (const [reason, value] of Object.entries(counts.rejections)) {
    scrape.add('rejections', { reason }, value);
  }
  addConnectionsRefused(scrape, counts.connectionsRefused);
  for (const [kind, value] of Object.entries(counts.upstreamStatus)) {
    scrape.add('upstreamStatus', { class: kind }, value);
  }
  for (const [kind, value] of Object.entries(counts.snapshots)) {
    scrape.add('snapshots', { kind }, value);
  }
  scrape.addDurations('requestDuration', {}, counts.requestDuration);
  scrape.addDurations('firstToken', {}, counts.firstToken);
}

function addCache(scrape: Scrape, { cache }: Counts, { entries, bytes }: CacheReading): void {
  for (const [kind, value] of Object.entries(cache)) scrape.add('cache', { kind }, value);
  scrape.add('cacheEntries', {}, entries);
  scrape.add('cacheBytes', {}, bytes);
}

/** Two models may share an endpoint; their readings are merged. */
function addBackend(scrape: Scrape, reading: BackendReading): void {
  const labels = { api_base: reading.apiBase, model: reading.model };
  scrape.add('backendRequests', labels, reading.requests);
  scrape.add('backendErrors', labels, reading.errors);
  scrape.add('backendEjections', labels, reading.ejections);
  scrape.add('backendInFlight', labels, reading.inFlight);
  scrape.add('backendHealthy', labels, reading.isHealthy ? 1 : 0);
  scrape.addDurations('backendDuration', labels, reading.durations);
  const { engine, admission } = reading;
  if (engine !== null) {
    scrape.add('backendEngineRequests', { state: 'running', ...labels }, engine.running);
    scrape.add('backendEngineRequests', { state: 'waiting', ...labels }, engine.waiting);
  }
  if (admission !== null) addAdmission(scrape, labels, admission);
}

function addAdmission(
  scrape: Scrape,
  labels: Readonly<{ api_base: string; model: string }>,
  reading: AdmissionReading,
): void {
  scrape.add('admissionMaxConcurrent', labels, reading.concurrentMax);
  scrape.add('admissionCapacity', labels, reading.capacity);
  scrape.add('admissionInUse', labels, reading.inUse);
  scrape.add('admissionQueued', labels, reading.queued);
  scrape.add('admissionAdmitted', labels, reading.admitted);
  scrape.add('admissionRefused', { reason: 'full', ...labels }, reading.refusedFull);
  scrape.add('admissionRefused', { reason: 'timed_out', ...labels }, reading.refusedTimedOut);
}

function addModel(scrape: Scrape, reading: ModelReading, isMetered: boolean): void {
  const { model } = reading;
  scrape.add('modelRequests', { model }, reading.requests);
  if (isMetered) {
    scrape.add('modelTokens', { model, kind: 'prompt' }, reading.promptTokens);
    scrape.add('modelTokens', { model, kind: 'completion' }, reading.completionTokens);
    for (const [kind, count] of Object.entries(reading.tokens)) {
      scrape.add('tokens', { model, kind }, count);
    }
  }
  scrape.addDurations('modelDuration', { model }, reading.durations);
  scrape.addDurations('modelFirstToken', { model }, reading.firstToken);
}
