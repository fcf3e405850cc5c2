// The policy that sends a conversation to the member that has its beginning in its cache. A member
// that is much busier than the least loaded is spared: such a request goes elsewhere, and the
// conversation stays remembered where it was (specification, "Limits": affinity tuning).

import { isUp } from '../load.ts';
import type { Choice } from './choice.ts';
import { pickLeastLoaded } from './least-loaded.ts';

/** A member may have so many requests more in flight than the least loaded, or so many times as many. */
export type AffinityTuning = Readonly<{ balanceAbs: number; balanceRel: number; slots: number }>;

export const affinityDefaults: AffinityTuning = { balanceAbs: 8, balanceRel: 1.5, slots: 65_536 };

/** Of a conversation's beginning: those who begin alike share what is cached. */
export const prefixBytesDefault = 2048;

/**
 * Who served which conversation last: a direct-mapped table of a fixed size, in which a newer
 * conversation takes the slot of an older one. An owner of 0 is nobody.
 */
export type Affinity = Readonly<{
  tuning: AffinityTuning;
  keys: Uint32Array;
  owners: Uint32Array;
}>;

const slotsMin = 64;

export function createAffinity(tuning: Partial<AffinityTuning> = {}): Affinity {
  const whole = { ...affinityDefaults, ...tuning };
  const size = 2 ** Math.ceil(Math.log2(Math.max(slotsMin, whole.slots)));
  return { tuning: whole, keys: new Uint32Array(size), owners: new Uint32Array(size) };
}

export function pickByAffinity(choice: Choice): number {
  const { loads, ids, key, affinity, nowMs } = choice;
  const { keys, owners, tuning } = affinity;
  const slot = key & (keys.length - 1);
  const owner = keys[slot] === key ? ids.indexOf(owners[slot] ?? 0) : -1;
  const least = pickLeastLoaded(choice);
  if (owner === -1) {
    keys[slot] = key;
    owners[slot] = ids[least] ?? 0;
    return least;
  }
  const load = loads[owner];
  const fewest = loads[least]?.inFlight ?? 0;
  if (load === undefined || !isUp(load, nowMs)) return least;
  const slack = Math.max(tuning.balanceAbs, Math.ceil(fewest * (tuning.balanceRel - 1)));
  return load.inFlight <= fewest + slack ? owner : least;
}
