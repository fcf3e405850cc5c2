// Computes the centroids of classes for a snapshot. A class has one if the encoder can embed one of
// its examples.

import type { PromptClassId } from '../lib/ids.ts';
import type { PromptClassTier } from '../lib/vocabulary.ts';
import type { SnapshotCentroids } from '../snapshot/schema.ts';
import type { Encoders, Vector } from './encoder.ts';
import { centroidOf } from './vector.ts';

/** Five decimals shorten the JSON and do not change any margin. */
const decimals = 1e5;

/** The most texts per batch, so that requests do not wait long for the refined encoder. */
const batchTexts = 4;

export type Embed = (texts: readonly string[]) => Promise<readonly (Vector | null)[]>;

/** Null if the tier has no encoder. `timeoutMs` bounds each batch of the refined encoder. */
export function embedderOf(
  encoders: Encoders | null,
  tier: PromptClassTier,
  timeoutMs: number,
): Readonly<{ identity: string; embed: Embed }> | null {
  if (encoders === null) return null;
  if (tier === 'fast') {
    const { identity, open } = encoders.fast;
    return { identity, embed: async (texts) => texts.map((text) => open().embed(text)) };
  }
  const { refined } = encoders;
  if (refined === null) return null;
  const embed: Embed = async (texts) => {
    const vectors: (Vector | null)[] = [];
    for (let done = 0; done < texts.length; done += batchTexts) {
      const batch = texts.slice(done, done + batchTexts);
      vectors.push(...(await refined.embed(batch, { timeoutMs })));
    }
    return vectors;
  };
  return { identity: refined.identity, embed };
}

export type Centroid = Readonly<{ id: PromptClassId; centroid: readonly number[] | null }>;

/** Null if the encoder cannot embed any of the texts. */
export function snapshotCentroid(vectors: readonly (Vector | null)[]): readonly number[] | null {
  const centroid = centroidOf(vectors.filter((vector) => vector !== null));
  return centroid === null
    ? null
    : Array.from(centroid, (value) => Math.round(value * decimals) / decimals);
}

/** Null if no class has a centroid. */
export function snapshotCentroids(
  encoder: string,
  centroids: readonly Centroid[],
): SnapshotCentroids | null {
  const classes = centroids.flatMap(({ id, centroid }) =>
    centroid === null ? [] : [{ id, centroid }],
  );
  return classes.length === 0 ? null : { encoder, classes };
}
