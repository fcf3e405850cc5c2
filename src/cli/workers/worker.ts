// Runs the worker side of a proxy with several processes: it ends on request of its parent, and its /metrics shows all workers.

import cluster from 'node:cluster';

import type { LogFields } from '../../telemetry/log-fields.ts';
import type { Log } from '../../telemetry/log.ts';
import type { MetricsPage, OwnMetricsPage } from '../../telemetry/metrics.ts';
import type { SignalSource } from '../lifetime.ts';
import { toWorker } from './messages.ts';
import type { ToParent } from './messages.ts';

/** The index of the worker, from 0. */
export const slotVariable = 'GW_WORKER_SLOT';

export type WorkerSide = Readonly<{
  slot: number;
  signals: SignalSource;
  /** Reports to the parent that requests are served, and at which address. */
  serving: (url: string) => void;
  shareMetrics: (own: OwnMetricsPage) => MetricsPage;
  /** Adds the worker to every log line. */
  log: (log: Log) => Log;
}>;

/** If the parent does not answer, the scrape fails instead of showing a part of the metrics. */
const gatherMs = 3000;

/** Null in a process that is not a worker. */
export function openWorker(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): WorkerSide | null {
  if (!cluster.isWorker) return null;
  const slot = Number(environment[slotVariable]);
  const gathered: ((page: string) => void)[] = [];
  const ends: (() => void)[] = [];
  let own: OwnMetricsPage | null = null;
  // Only once: a signal to the process group reaches a worker directly and through its parent.
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    for (const listener of ends) listener();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('message', (value: unknown) => {
    const message = toWorker.safeParse(value).data;
    switch (message?.gw) {
      case 'drain':
        return end();
      case 'read_metrics':
        return void own?.families().then((page) => tell({ gw: 'metrics', page }));
      case 'metrics_of_all':
        for (const resolve of gathered.splice(0)) resolve(message.page);
        return undefined;
      case undefined:
        return undefined;
    }
  });
  return {
    slot,
    signals: {
      on: (signal, listener) => signal === 'SIGTERM' && ends.push(listener),
      off: () => ends.splice(0),
      exit: (code) => process.exit(code),
    },
    serving: (url) => {
      tell({ gw: 'serving', url });
      // From now on the listener keeps the process running, not the channel.
      process.channel?.unref();
    },
    shareMetrics: (page) => {
      own = page;
      return { contentType: page.contentType, render: () => gather(gathered) };
    },
    log: (log) => withWorker(log, slot),
  };
}

function gather(gathered: ((page: string) => void)[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error('the parent sent no metrics')), gatherMs);
  gathered.push((page) => {
    clearTimeout(late);
    resolve(page);
  });
  tell({ gw: 'gather_metrics' });
  return promise;
}

/** A parent that has exited cannot be reached; the worker ends with the channel. */
function tell(message: ToParent): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {});
}

function withWorker(log: Log, worker: number): Log {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, message: string) =>
    log[level]({ worker, pid: process.pid, ...fields }, message);
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    of: (component) => withWorker(log.of(component), worker),
  };
}
