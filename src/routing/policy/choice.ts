// The input of a policy: the members of a pool, or the endpoints of one model name.

import type { PoolPolicy } from '../../lib/vocabulary.ts';
import type { Load, Turn } from '../load.ts';
import type { Affinity } from './affinity.ts';

/** Lists of equal length, at least 1. `pickMember` ensures that one member is ready at `nowMs`. */
export type Choice = Readonly<{
  loads: readonly Load[];
  /** Whole numbers from 1, stable across versions. */
  ids: readonly number[];
  weights: readonly number[];
  /** Requests with equal keys should be served by the same member. */
  key: number;
  turn: Turn;
  affinity: Affinity;
  nowMs: number;
}>;

/**
 * False when the policy chooses the same member for every key. Computing the key of a long prompt takes longer than
 * everything else.
 */
export function usesKey(policy: PoolPolicy | null, loads: readonly Load[]): boolean {
  if (policy !== 'least-loaded') return policy !== 'round-robin';
  for (let index = 1; index < loads.length; index++) {
    for (let other = 0; other < index; other++) {
      if (loads[index]?.inFlight === loads[other]?.inFlight) return true;
    }
  }
  return false;
}
