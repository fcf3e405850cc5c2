// Computes which prompt classes match a class: itself and all classes that refine it, directly or
// indirectly.

import type { PromptClassId } from '../../lib/ids.ts';
import type { SnapshotPromptClass } from '../schema.ts';

export type ClassReach = (id: PromptClassId) => ReadonlySet<PromptClassId>;

export function classReachOf(classes: readonly SnapshotPromptClass[]): ClassReach {
  const refiners = new Map<PromptClassId, PromptClassId[]>();
  for (const { id, refines } of classes) {
    for (const refined of refines) refiners.set(refined, [...(refiners.get(refined) ?? []), id]);
  }
  return (id) => {
    const reach = new Set([id]);
    // Iterating a set also visits entries added during the iteration.
    for (const found of reach) for (const refiner of refiners.get(found) ?? []) reach.add(refiner);
    return reach;
  };
}
