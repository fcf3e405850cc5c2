// Picks the member with the fewest requests in flight from this replica. The conversation breaks
// ties, so that an idle gateway does not send everything to the first member.

import { isReady } from '../load.ts';
import type { Load } from '../load.ts';
import type { Choice } from './choice.ts';

export const pickLeastLoaded = ({ loads, key, nowMs }: Choice): number =>
  leastLoaded(loads, key, (load) => isReady(load, nowMs));

/** -1 if no member is eligible. */
export function leastLoaded(
  loads: readonly Load[],
  key: number,
  isEligible: (load: Load) => boolean,
): number {
  const first = key % loads.length;
  let best = -1;
  let fewest = Infinity;
  for (let step = 0; step < loads.length; step++) {
    const index = (first + step) % loads.length;
    const load = loads[index];
    if (load === undefined || load.inFlight >= fewest || !isEligible(load)) continue;
    best = index;
    fewest = load.inFlight;
  }
  return best;
}
