// Builds a complete health report from the fields that a test sets.

import type {
  BackendReport,
  HealthReport,
  LogObservation,
} from '../../../src/snapshot/health-report.ts';

type GivenReport = Readonly<{
  sequence?: number;
  version?: number;
  /** The log positions that the replica has observed. */
  seen?: readonly LogObservation[];
  uptimeSeconds?: number;
  /** Keyed by model name; true if healthy. */
  backends?: Readonly<Record<string, boolean>>;
  unauthenticated?: number;
  modelNotFound?: number;
}>;

export const backendOf = (model: string, healthy: boolean): BackendReport => ({
  api_base: 'http://engine.test/v1',
  model,
  healthy,
  inflight: 1,
  requests_total: 5,
  errors_total: 2,
});

export const healthOf = (replica: string, given: GivenReport = {}): HealthReport => ({
  replica,
  ...(given.sequence === undefined ? {} : { sequence: given.sequence }),
  snapshot_version: given.version ?? 1,
  refused_snapshot: null,
  log_seen: given.seen ?? [],
  uptime_seconds: given.uptimeSeconds ?? 60,
  backends: Object.entries(given.backends ?? {}).map(([model, healthy]) =>
    backendOf(model, healthy),
  ),
  process: {
    requests_ok: 10,
    requests_failed: 1,
    usage_dropped: 0,
    cache_hits: 3,
    cache_misses: 4,
    cache_entries: 2,
    cache_bytes: 2000,
    rejected_unauthenticated: given.unauthenticated ?? 0,
    rejected_model_not_found: given.modelNotFound ?? 0,
  },
});
