// Sends a conversation to the member that has its prefix in the cache. If that member is much
// busier than the least loaded one, the request goes elsewhere, but the conversation keeps its
// member (specification, "Limits": affinity tuning).

import { isReady } from '../load.ts';
import type { Choice } from './choice.ts';
import { pickLeastLoaded } from './least-loaded.ts';

export function pickByAffinity(choice: Choice): number {
  const { loads, ids, key, affinity, nowMs } = choice;
  const { keys, owners, tuning, remembers } = affinity;
  const slot = key & (keys.length - 1);
  const owner = keys[slot] === key ? ids.indexOf(owners[slot] ?? 0) : -1;
  const least = pickLeastLoaded(choice);
  if (owner === -1) {
    if (remembers) {
      keys[slot] = key;
      owners[slot] = ids[least] ?? 0;
    }
    return least;
  }
  const load = loads[owner];
  const fewest = loads[least]?.inFlight ?? 0;
  if (load === undefined || !isReady(load, nowMs)) return least;
  const slack = Math.max(tuning.balance_abs, Math.ceil(fewest * (tuning.balance_rel - 1)));
  return load.inFlight <= fewest + slack ? owner : least;
}
