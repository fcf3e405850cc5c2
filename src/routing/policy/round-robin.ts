// Picks the members in turn and skips those that are not ready.

import { isReady } from '../load.ts';
import type { Choice } from './choice.ts';

export function pickInTurn({ loads, turn, nowMs }: Choice): number {
  const first = turn.count++ % loads.length;
  for (let step = 0; step < loads.length; step++) {
    const index = (first + step) % loads.length;
    const load = loads[index];
    if (load !== undefined && isReady(load, nowMs)) return index;
  }
  return first;
}
