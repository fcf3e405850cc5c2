// The policy by its name. A pool without one is split by weight.

import type { PoolPolicy } from '../../lib/vocabulary.ts';
import { pickByAffinity } from './cache-affinity.ts';
import type { Choice } from './choice.ts';
import { pickLeastLoaded } from './least-loaded.ts';
import { pickLowestLatency } from './lowest-latency.ts';
import { pickInTurn } from './round-robin.ts';
import { pickByWeight } from './weighted.ts';

/** The index of the member that serves first. One that rests is chosen only when all do. */
export function pickMember(policy: PoolPolicy | null, choice: Choice): number {
  if (choice.loads.length === 1) return 0;
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
