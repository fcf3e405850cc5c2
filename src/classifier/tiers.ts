// Which class a prompt is of, given its vector: the class whose centroid is nearest, if it is nearer than the next one by the
// class's own margin (specification, "Prompt class"). The fast tier decides among the classes of tier fast; where its winner is
// refined by two classes or more, the refined tier decides among those. A lone one has no rival, and would take every prompt.

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

/** Classes without a centroid contend for nothing. */
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

/** What is left to choose among when the fast tier's winner is known; fewer than two is no choice. */
export function refinersOf({ refined }: Tiers, winner: Contender): readonly Contender[] {
  const refiners = refined.get(winner.id) ?? [];
  return refiners.length < 2 ? [] : refiners;
}

export type Nearest = Readonly<{ contender: Contender; score: number; margin: number }>;

/**
 * The nearest contender with its cosine, and by how much it is nearer than the next; of one alone the margin is its cosine. Null
 * when nobody contends. A centroid of other dimensions is nobody's.
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

/** The nearest contender, if its margin is what its class asks for; null is unclassified. */
export function clearWinner(contenders: readonly Contender[], vector: Vector): Contender | null {
  const found = nearest(contenders, vector);
  return found === null || found.margin < found.contender.minMargin ? null : found.contender;
}
