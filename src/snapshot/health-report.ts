// What a replica reports of itself and its backends (specification, `POST /health-report`): the
// request of the gateway, and one row of the fleet for people. Both planes read it.

import { z } from 'zod';

import { isStorable } from '../lib/text.ts';

/** Backends of one report; a replica leaves out those beyond, healthy ones first. */
export const reportBackendsMax = 20_000;

const text = (max: number) => z.string().min(1).max(max).refine(isStorable);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Places of the log that one report tells of. */
export const observationsMax = 8;

/**
 * Where the event log stood when a snapshot that the replica served was built. The log must hold this hash at this position for ever:
 * each replica is a witness of what the log was. `version` is that of the snapshot.
 */
const logObservation = z.object({
  log_id: z.string().max(200),
  version: count,
  position: count,
  hash: z.string().max(200),
});
export type LogObservation = Readonly<z.output<typeof logObservation>>;

const observations = z.array(logObservation).max(observationsMax).readonly();

/** A kept snapshot has them as one more member, which a program that knows none of it passes over. */
export const withObservations = z.object({ seen: observations.catch([]) });

/** Of a backend with flow control or engine metrics; absent, never zero, where it has none. */
export const flowFields = {
  /** Requests in the engine, by its own metrics. */
  engine: z.object({ running: count, waiting: count }).optional(),
  /** The gate of this replica. */
  admission: z
    .object({
      max_concurrent: count,
      /** The ceiling in force. */
      capacity: count,
      in_use: count,
      queued: count,
      admitted_total: count,
      refused_full_total: count,
      refused_timed_out_total: count,
    })
    .optional(),
} as const;

const backendReport = z.object({
  api_base: text(2000),
  /** The upstream's own name of the model. */
  model: text(2000),
  healthy: z.boolean(),
  inflight: count,
  requests_total: count,
  errors_total: count,
  ...flowFields,
});
export type BackendReport = z.output<typeof backendReport>;

/** Counted since the process began. */
const processReport = z.object({
  requests_ok: count,
  requests_failed: count,
  usage_dropped: count,
  cache_hits: count,
  cache_misses: count,
  /** Held now. */
  cache_entries: count,
  cache_bytes: count,
  /** 401s and 404s that no principal stands for, and that leave no usage row. */
  rejected_unauthenticated: count,
  rejected_model_not_found: count,
});

export const healthReport = z.object({
  replica: text(200),
  /** 0 before the first snapshot. */
  snapshot_version: count,
  /** A newer snapshot that came and cannot be served; its version is null when it cannot even be read. */
  refused_snapshot: z
    .object({ version: count.nullable(), reason: text(500) })
    .nullable()
    .default(null),
  /** The newest first; those of before its start are in it when it started from a snapshot cache. */
  log_seen: observations.default([]),
  uptime_seconds: count,
  backends: z.array(backendReport).max(reportBackendsMax).readonly(),
  process: processReport,
});
export type HealthReport = Readonly<z.output<typeof healthReport>>;
