// Finds the class of a prompt from its vector: the class with the nearest centroid, if it leads the
// next one by the class's own margin (specification, "Prompt class"). The fast tier decides among
// the classes of tier fast. If two or more classes refine its winner, the refined tier decides
// among those. A single refining class would have no rival and win every prompt, so it is ignored.

import type { PromptClassId } from '../lib/ids.ts';
import type { SnapshotCentroids, SnapshotPromptClass } from '../snapshot/schema.ts';
import type { Vector } from './encoder.ts';
import { dot } from './vector.ts';

export type Contender = Readonly<{ id: PromptClassId; minMargin: number; centroid: Vector }>;

export type Tiers = Readonly<{
  fast: readonly Contender[];
  /** By the class that they refine. */
  refined: ReadonlyMap<PromptClassId, readonly Contender[]>;
}>;

/** Omits classes without a centroid. */
export function tiersOf(
  classes: readonly SnapshotPromptClass[],
  {
    fast,
    refined,
  }: Readonly<{ fast: SnapshotCentroids | null; refined: SnapshotCentroids | null }>,
): Tiers {
  const byParent = new Map<PromptClassId, Contender[]>();
  const names = new Map(classes.map((one) => [one.id, one]));
  for (const contender of contendersOf(classes, 'refined', refined)) {
    for (const parent of names.get(contender.id)?.refines ?? []) {
      byParent.set(parent, [...(byParent.get(parent) ?? []), contender]);
    }
  }
  return { fast: contendersOf(classes, 'fast', fast), refined: byParent };
}

function contendersOf(
  classes: readonly SnapshotPromptClass[],
  tier: SnapshotPromptClass['tier'],
  centroids: SnapshotCentroids | null,
): readonly Contender[] {
  const known = new Map(centroids?.classes.map(({ id, centroid }) => [id, centroid]));
  return classes.flatMap(({ id, tier: own, min_margin: minMargin }) => {
    const centroid = own === tier ? known.get(id) : undefined;
    return centroid === undefined ? [] : [{ id, minMargin, centroid: Float32Array.from(centroid) }];
  });
}

/** The classes that refine the fast tier's winner; empty if there are fewer than two. */
export function refinersOf({ refined }: Tiers, winner: Contender): readonly Contender[] {
  const refiners = refined.get(winner.id) ?? [];
  return refiners.length < 2 ? [] : refiners;
}

export type Nearest = Readonly<{ contender: Contender; score: number; margin: number }>;

/**
 * The nearest contender, its cosine, and its lead over the next; with one contender, the lead is
 * its cosine. Skips centroids of other dimensions. Null if there are no contenders.
 */
export function nearest(contenders: readonly Contender[], vector: Vector): Nearest | null {
  let best: Contender | null = null;
  let score = -Infinity;
  let next = -Infinity;
  for (const contender of contenders) {
    if (contender.centroid.length !== vector.length) continue;
    const cosine = dot(contender.centroid, vector);
    if (cosine > score) {
      next = score;
      score = cosine;
      best = contender;
    } else if (cosine > next) next = cosine;
  }
  if (best === null) return null;
  return { contender: best, score, margin: next === -Infinity ? score : score - next };
}

/** Null (unclassified) if the nearest contender's lead is below the minimum of its class. */
export function clearWinner(contenders: readonly Contender[], vector: Vector): Contender | null {
  const found = nearest(contenders, vector);
  return found === null || found.margin < found.contender.minMargin ? null : found.contender;
}
