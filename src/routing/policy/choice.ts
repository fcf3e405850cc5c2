// The input of a policy: the members of a pool, or the endpoints of one model name.

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
