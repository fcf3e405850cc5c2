// What a policy chooses among: the members of a pool, or the endpoints of one model name.

import type { Load, Turn } from '../load.ts';
import type { Affinity } from './cache-affinity.ts';

/** Lists of one length, at least 1. `pickMember` sees to it that one member is ready at `nowMs`. */
export type Choice = Readonly<{
  loads: readonly Load[];
  /** Names of the members, whole numbers from 1 that stay the same across versions. */
  ids: readonly number[];
  weights: readonly number[];
  /** Of the conversation, 32 bits: equal for all that should be served alike. */
  key: number;
  turn: Turn;
  affinity: Affinity;
  nowMs: number;
}>;
