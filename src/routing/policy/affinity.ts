// Remembers which member served which conversation, for the policy `cache_affinity`.

import type { Tuning } from '../../snapshot/tuning.ts';

/**
 * A table of fixed size, with one slot per hash: a newer conversation replaces an older one. An
 * owner of 0 means empty.
 */
export type Affinity = Readonly<{
  tuning: Tuning;
  keys: Uint32Array;
  owners: Uint32Array;
  /** False when a choice must not be remembered. */
  remembers: boolean;
}>;

const slotsMin = 64;

/** Keeps the entries of `previous` when the size is the same. */
export function createAffinity(tuning: Tuning, previous: Affinity | null = null): Affinity {
  const size = 2 ** Math.ceil(Math.log2(Math.max(slotsMin, tuning.affinity_slots)));
  if (previous?.keys.length === size) return { ...previous, tuning };
  return { tuning, keys: new Uint32Array(size), owners: new Uint32Array(size), remembers: true };
}
