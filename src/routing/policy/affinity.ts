// Remembers which member served which conversation, for the policy `cache_affinity`.

import type { Tuning } from '../../snapshot/tuning.ts';

/** A direct-mapped table of a fixed size: a newer conversation takes the slot of an older one. An owner of 0 means none. */
export type Affinity = Readonly<{
  tuning: Tuning;
  keys: Uint32Array;
  owners: Uint32Array;
  /** False where nothing comes of a choice: then it is not remembered. */
  remembers: boolean;
}>;

const slotsMin = 64;

/** A table of the same size remembers what `previous` did. */
export function createAffinity(tuning: Tuning, previous: Affinity | null = null): Affinity {
  const size = 2 ** Math.ceil(Math.log2(Math.max(slotsMin, tuning.affinity_slots)));
  if (previous?.keys.length === size) return { ...previous, tuning };
  return { tuning, keys: new Uint32Array(size), owners: new Uint32Array(size), remembers: true };
}
