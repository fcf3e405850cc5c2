// The choice that a policy makes: among the members of a pool, or the endpoints of one model name.

import type { Load, Turn } from '../load.ts';
import type { Affinity } from './affinity.ts';

/** Lists of one length, at least 1. `pickMember` sees to it that one member is ready at `nowMs`. */
export type Choice = Readonly<{
  loads: readonly Load[];
  /** Names of the members, whole numbers from 1 that stay the same across versions. */
  ids: readonly number[];
  weights: readonly number[];
  /** The 32-bit key of the conversation: equal for requests that should be served by the same member. */
  key: number;
  turn: Turn;
  affinity: Affinity;
  nowMs: number;
}>;
