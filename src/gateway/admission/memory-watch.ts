// Tells how near the heap is to its limit, by what each full collection leaves in use: what is counted between two collections is
// mostly waste that the next one frees.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { pressureOf } from './pressure.ts';
import type { Pressure } from './pressure.ts';

/**
 * A reading counts for so long. Where new requests are refused nothing may be allocated, so that no collection would ever say that
 * it is over.
 */
const readingMs = 5000;

/** Hearing of collections costs each of them some 0.3 ms, so nobody listens below this. */
const observeFrom = 0.8;
const checkMs = 500;

export type MemoryWatch = Readonly<{ pressure: () => Pressure; stop: () => void }>;

export type MemoryWatchOptions = Readonly<{
  log: Log;
  monotonic: Clock;
  /** Told after each full collection that leaves much in use. */
  onHigh: () => void;
  /** What part of the heap is in use, 0 to 1. */
  inUse?: () => number;
  /** How often it is looked at while nobody listens for collections. */
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
    if (next !== last) log.warn(fields, 'memory pressure has changed');
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
