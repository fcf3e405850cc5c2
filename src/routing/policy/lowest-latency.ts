// Picks the member with the lowest exponentially weighted latency of whole requests. Members within
// an eighth of the best count as equal, and so do members without a complete request. Among equals
// the least loaded serves (specification, "Limits").

import { isReady } from '../load.ts';
import type { Choice } from './choice.ts';
import { leastLoaded } from './least-loaded.ts';

/** 12.5 percent. */
const equalShare = 1 / 8;
const newestShare = 1 / 8;

/** The average after one more complete request. */
export const nextLatency = (latencyMs: number | null, sampleMs: number): number =>
  latencyMs === null ? sampleMs : latencyMs + (sampleMs - latencyMs) * newestShare;

export function pickLowestLatency({ loads, key, nowMs }: Choice): number {
  let best = Infinity;
  for (const load of loads) {
    if (load.latencyMs !== null && load.latencyMs < best && isReady(load, nowMs)) {
      best = load.latencyMs;
    }
  }
  const slowest = best * (1 + equalShare);
  return leastLoaded(
    loads,
    key,
    (load) => isReady(load, nowMs) && (load.latencyMs === null || load.latencyMs <= slowest),
  );
}
