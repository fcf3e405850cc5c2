// Periodically reports the health of this replica and its backends to the control plane
// (specification, `POST /health-report`), one report at a time. A failed report is dropped, because
// the next one is newer.

import { setTimeout as sleep } from 'node:timers/promises';

import { reportBackendsMax } from '../../snapshot/health-report.ts';
import type { BackendReport, HealthReport } from '../../snapshot/health-report.ts';
import type { NumbersReport } from '../../usage/row-number.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import type { Live } from '../config/live.ts';
import type { ControlClient } from './client.ts';

export type HealthReportOptions = Readonly<{
  client: Pick<ControlClient, 'post'>;
  read: () => HealthReport;
  log: Log;
  intervalMs: number;
}>;

/** The first report is sent at once, so that the fleet knows this replica. */
export function startHealthReports(
  options: HealthReportOptions,
): Readonly<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const loop = keepReporting(options, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function keepReporting(options: HealthReportOptions, signal: AbortSignal): Promise<void> {
  const { client, read, log, intervalMs } = options;
  let isFailing = false;
  let sequence = 0;
  while (!signal.aborted) {
    try {
      const { status } = await client.post(
        '/health-report',
        { ...read(), sequence: ++sequence },
        signal,
      );
      if (status !== 204) throw new Error(`status ${status}`);
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      // Logged once per change of state.
      if (!isFailing) log.warn({ error }, 'the health report was not delivered');
      isFailing = true;
    }
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

export type Reported = Readonly<{
  replica: string;
  live: Pick<Live, 'current' | 'refused' | 'seen'>;
  uptimeSeconds: number;
  version: string;
  backends: readonly BackendReport[];
  counts: Counts;
  cache: Readonly<{ entries: number; bytes: number }>;
}>;

const reasonCharactersMax = 500;

export function healthReportOf(reported: Reported): HealthReport {
  const { live, counts, backends, cache } = reported;
  const refused = live.refused();
  const reason = refused?.reason.slice(0, reasonCharactersMax).toWellFormed() ?? '';
  return {
    replica: reported.replica,
    snapshot_version: live.current()?.version ?? 0,
    refused_snapshot: refused === null ? null : { version: refused.version, reason },
    log_seen: live.seen(),
    uptime_seconds: Math.floor(reported.uptimeSeconds),
    program_version: reported.version,
    backends: unhealthyFirst(backends),
    process: {
      requests_ok: counts.outcomes.ok,
      requests_failed: counts.requestsFailed,
      usage_dropped: counts.usageDropped,
      cache_hits: counts.cache.hit,
      cache_misses: counts.cache.miss,
      cache_entries: cache.entries,
      cache_bytes: cache.bytes,
      rejected_unauthenticated: counts.rejections.unauthenticated,
      rejected_model_not_found: counts.rejections.model_not_found,
    },
  };
}

/** Adds the numbers of usage rows while their own batches cannot be delivered. */
export const withNumbers = (report: HealthReport, usage: NumbersReport | null): HealthReport =>
  usage === null ? report : { ...report, usage };

/** If the list is cut, backends out of rotation take precedence. */
const unhealthyFirst = (backends: readonly BackendReport[]): readonly BackendReport[] =>
  backends.length <= reportBackendsMax
    ? backends
    : backends
        .toSorted((a, b) => Number(a.healthy) - Number(b.healthy))
        .slice(0, reportBackendsMax);
