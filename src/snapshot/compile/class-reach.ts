// Which prompt classes count as a class: itself, and those that refine it, directly or by way of others.

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
    // A set is walked to its end also while it grows.
    for (const found of reach) for (const refiner of refiners.get(found) ?? []) reach.add(refiner);
    return reach;
  };
}
