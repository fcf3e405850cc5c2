// Measures memory pressure by the heap in use after each full garbage collection. Readings between
// collections mostly contain garbage.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { pressureOf } from './pressure.ts';
import type { Pressure } from './pressure.ts';

/**
 * A reading expires after this time. While new requests are refused, nothing may be allocated, so no further
 * collection would reset the pressure.
 */
const readingMs = 5000;

/** Observing collections costs about 0.3 ms each, so the observer is active only above this share of the heap. */
const observeFrom = 0.8;
const checkMs = 500;

export type MemoryWatch = Readonly<{ pressure: () => Pressure; stop: () => void }>;

export type MemoryWatchOptions = Readonly<{
  log: Log;
  monotonic: Clock;
  /** Called after each full collection that leaves the pressure raised. */
  onHigh: () => void;
  /** From 0 to 1. */
  inUse?: () => number;
  /** The interval of the checks while the observer is off. */
  checkMs?: number;
}>;

export function watchMemory(options: MemoryWatchOptions): MemoryWatch {
  const { log, monotonic, onHigh, inUse = heapInUse } = options;
  let last: Pressure = 'none';
  let readAt = 0;
  const read = (): void => {
    const used = inUse();
    const next = pressureOf(used, last);
    const fields = { in_use: Number(used.toFixed(3)), from: last, to: next };
    if (next !== last) log.warn(fields, 'memory pressure changed');
    last = next;
    readAt = monotonic();
    if (next !== 'none') onHigh();
  };
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) read();
  });
  let isListening = false;
  const check = (): void => {
    const isHigh = inUse() >= observeFrom;
    if (isHigh && !isListening) observer.observe({ entryTypes: ['gc'] });
    if (!isHigh && isListening) {
      observer.disconnect();
      read();
    }
    isListening = isHigh;
  };
  const timer = setInterval(check, options.checkMs ?? checkMs).unref();
  return {
    pressure: () => (last === 'none' || monotonic() - readAt > readingMs ? 'none' : last),
    stop: () => {
      clearInterval(timer);
      observer.disconnect();
    },
  };
}

function heapInUse(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const detail: unknown = 'detail' in entry ? entry.detail : null;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return false;
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
