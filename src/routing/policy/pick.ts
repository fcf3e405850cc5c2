// Picks a member by the policy's name. A pool without a policy is split by weight.

import type { PoolPolicy } from '../../lib/vocabulary.ts';
import { readyAtMs } from '../load.ts';
import { pickByAffinity } from './cache-affinity.ts';
import type { Choice } from './choice.ts';
import { pickLeastLoaded } from './least-loaded.ts';
import { pickLowestLatency } from './lowest-latency.ts';
import { pickInTurn } from './round-robin.ts';
import { pickByWeight } from './weighted.ts';

/** The first member to serve. If none is ready, it is one of those that will be ready first. */
export function pickMember(policy: PoolPolicy | null, choice: Choice): number {
  if (choice.loads.length === 1) return 0;
  const atMs = firstReadyMs(choice);
  return pick(policy, atMs <= choice.nowMs ? choice : { ...choice, nowMs: atMs });
}

function firstReadyMs({ loads, nowMs }: Choice): number {
  let first = Infinity;
  for (const load of loads) {
    const atMs = readyAtMs(load);
    if (atMs <= nowMs) return nowMs;
    if (atMs < first) first = atMs;
  }
  return first;
}

function pick(policy: PoolPolicy | null, choice: Choice): number {
  switch (policy) {
    case null:
      return pickByWeight(choice);
    case 'cache-affinity':
      return pickByAffinity(choice);
    case 'least-loaded':
      return pickLeastLoaded(choice);
    case 'lowest-latency':
      return pickLowestLatency(choice);
    case 'round-robin':
      return pickInTurn(choice);
  }
}
