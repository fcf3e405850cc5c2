// Distributes conversations over the members by weight, for pools without a policy. A conversation
// stays with one member.

import { mixKey } from '../hash.ts';
import { isReady } from '../load.ts';
import type { Choice } from './choice.ts';

export function pickByWeight({ loads, weights, key, nowMs }: Choice): number {
  const chosen = atShare(weights, key);
  const load = loads[chosen];
  if (load === undefined || isReady(load, nowMs)) return chosen;
  // Only conversations of the member that is not ready move, by the weights of the ready ones.
  const up = weights.map((weight, index) => {
    const member = loads[index];
    return member !== undefined && isReady(member, nowMs) ? weight : 0;
  });
  return up.some((weight) => weight > 0) ? atShare(up, mixKey(key, up.length)) : chosen;
}

const keys = 2 ** 32;

/** The index whose part of the summed weights contains the key. */
function atShare(weights: readonly number[], key: number): number {
  let total = 0;
  for (const weight of weights) total += weight;
  let left = (key / keys) * total;
  let last = 0;
  for (let index = 0; index < weights.length; index++) {
    const weight = weights[index] ?? 0;
    if (weight === 0) continue;
    if (left < weight) return index;
    left -= weight;
    last = index;
  }
  return last;
}
