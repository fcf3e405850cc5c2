// Defines a replica's health report (specification, `POST /health-report`): the request of the
// gateway, and one row of the fleet screen.

import { z } from 'zod';

import { isStorable } from '../lib/text.ts';
import { numbersReport } from '../usage/row-number.ts';

/** If there are more, a replica leaves out healthy ones first. */
export const reportBackendsMax = 20_000;

const text = (max: number) => z.string().min(1).max(max).refine(isStorable);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

export const observationsMax = 8;

/**
 * The log head when a snapshot that the replica served was built. The log must have this hash at
 * this position for ever: each replica is a witness of the log. `version` is the snapshot's.
 */
const logObservation = z.object({
  log_id: z.string().max(200),
  version: count,
  position: count,
  hash: z.string().max(200),
});
export type LogObservation = Readonly<z.output<typeof logObservation>>;

const observations = z.array(logObservation).max(observationsMax).readonly();

/** Stored snapshots have it as an additional member, which older programs ignore. */
export const withObservations = z.object({ seen: observations.catch([]) });

/** Absent, never zero, for a backend without flow control or engine metrics. */
export const flowFields = {
  /** By the engine's own metrics. */
  engine: z.object({ running: count, waiting: count }).optional(),
  /** Flow control of this replica. */
  admission: z
    .object({
      max_concurrent: count,
      /** The limit in force. */
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
  /** The upstream name of the model. */
  model: text(2000),
  healthy: z.boolean(),
  inflight: count,
  requests_total: count,
  errors_total: count,
  ...flowFields,
});
export type BackendReport = z.output<typeof backendReport>;

/** Counted since the process started. */
const processReport = z.object({
  requests_ok: count,
  requests_failed: count,
  usage_dropped: count,
  cache_hits: count,
  cache_misses: count,
  /** Current values. */
  cache_entries: count,
  cache_bytes: count,
  /** 401s and 404s without a principal, which have no usage row. */
  rejected_unauthenticated: count,
  rejected_model_not_found: count,
});

export const healthReport = z.object({
  /** Unique for each process. */
  replica: text(200),
  /** Numbers the reports of a process in ascending order. Older proxies do not send it. */
  sequence: count.optional(),
  /** 0 before the first snapshot. */
  snapshot_version: count,
  /**
   * A newer snapshot that was received and cannot be served. Its version is null if it cannot be
   * read.
   */
  refused_snapshot: z
    .object({ version: count.nullable(), reason: text(500) })
    .nullable()
    .default(null),
  /** Newest first. Includes those from before the start if it started from a snapshot cache. */
  log_seen: observations.default([]),
  uptime_seconds: count,
  /** The release of the replica. Older proxies do not send it. */
  program_version: text(100).optional(),
  backends: z.array(backendReport).max(reportBackendsMax).readonly(),
  process: processReport,
  /** The numbers of usage rows, while their batches cannot be delivered. */
  usage: numbersReport.optional(),
});
export type HealthReport = Readonly<z.output<typeof healthReport>>;
