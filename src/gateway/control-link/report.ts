// Brings usage rows to the control plane in batches. Requests never wait for it: a full queue
// drops the row and counts it. A batch that failed is sent again with the same ids, so that it
// counts once.

import type { Log } from '../../telemetry/log.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import { usageBatchMax } from '../../usage/usage-event.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';
import type { UsageSink } from '../meter.ts';
import type { ControlClient } from './client.ts';

const queuedMax = 10_000;
const flushMsDefault = 5000;
/** A batch that was refused so often in a row is dropped: it is itself what fails. */
const refusalsMax = 20;
/** Refusals of what is in a batch; others, such as of the token, may be mended before the next. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422]);

export type UsageReporter = Readonly<{
  record: UsageSink;
  queued: () => number;
  /** Sends what is queued, up to the first failure. */
  close: () => Promise<void>;
}>;

export function createUsageReporter(
  options: Readonly<{
    client: ControlClient;
    /** Names this process among the replicas. */
    replica: string;
    counts: Counts;
    log: Log;
    flushMs?: number;
    queuedMax?: number;
  }>,
): UsageReporter {
  const { client, replica, counts, log } = options;
  const limit = options.queuedMax ?? queuedMax;
  const queue: UsageEvent[] = [];
  let isFailing = false;
  let refusals = 0;
  let sending: Promise<void> | null = null;

  const drop = (count: number): void => {
    queue.splice(0, count);
    counts.usageDropped += count;
    refusals = 0;
  };
  const sendBatch = async (): Promise<boolean> => {
    const events = queue.slice(0, usageBatchMax);
    try {
      const { status } = await client.post('/usage', { replica, events });
      if (status !== 200) {
        if (refusalStatuses.has(status) && ++refusals >= refusalsMax) drop(events.length);
        throw new Error(`status ${status}`);
      }
      queue.splice(0, events.length);
      isFailing = false;
      refusals = 0;
      return true;
    } catch (error) {
      if (!isFailing) log.warn({ error, queued: queue.length }, 'usage was not delivered');
      isFailing = true;
      return false;
    }
  };
  const sendAll = async (): Promise<void> => {
    while (queue.length > 0 && (await sendBatch()));
  };
  const flush = (): Promise<void> =>
    (sending ??= sendAll().finally(() => {
      sending = null;
    }));
  const timer = setInterval(() => void flush(), options.flushMs ?? flushMsDefault).unref();

  return {
    record: (event) => {
      if (queue.length >= limit) counts.usageDropped++;
      else queue.push(event);
      // While deliveries fail the timer alone tries again.
      if (queue.length >= usageBatchMax && !isFailing) void flush();
    },
    queued: () => queue.length,
    close: async () => {
      clearInterval(timer);
      const wasSending = sending !== null;
      await sending;
      // What has just failed to answer would only be waited for once more.
      if (!wasSending || !isFailing) await flush();
      if (queue.length === 0) return;
      log.warn({ events: queue.length }, 'usage was lost at shutdown');
      drop(queue.length);
    },
  };
}
