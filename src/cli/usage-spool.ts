// Opens the spool for undelivered usage.

import type { UsageReporterOptions } from '../gateway/control-link/report.ts';
import type { GatewayOptions } from '../gateway/gateway.ts';
import { openUsageSpool } from '../gateway/usage/spool.ts';
import type { Log } from '../telemetry/log.ts';

export type SpoolSettings = Readonly<{
  usageSpool: string | null;
  /** MiB. */
  usageSpoolMaxMb: number;
  /** Seconds. */
  shutdownGrace: number;
}>;

/** The last deliveries follow the grace period of requests, and a supervisor does not wait much longer. */
const closeMsMax = 5000;
const closeMsMin = 1000;

type Spooling = Required<Pick<UsageReporterOptions, 'spool' | 'closeMs'>> &
  Required<Pick<GatewayOptions, 'sources'>>;

/** Without a spool, usage waits in memory. Throws if the directory cannot be used. */
export async function openSpool(
  { usageSpool: directory, usageSpoolMaxMb, shutdownGrace }: SpoolSettings,
  { replica, log }: Readonly<{ replica: string; log: Log }>,
): Promise<Spooling> {
  const closeMs = Math.max(closeMsMin, Math.min(shutdownGrace * 1000, closeMsMax));
  if (directory === null) return { spool: null, closeMs, sources: [] };
  try {
    const bytesMax = usageSpoolMaxMb * 1024 * 1024;
    const spool = await openUsageSpool({ directory, replica, bytesMax, log });
    return { spool, closeMs, sources: [spool.source] };
  } catch (cause) {
    throw new Error(`--usage-spool ${directory} cannot be used`, { cause });
  }
}
