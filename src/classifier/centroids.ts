// The centroids of classes as a snapshot carries them: of each class that an encoder knows something of in an example.

import type { PromptClassId } from '../lib/ids.ts';
import type { PromptClassTier } from '../lib/vocabulary.ts';
import type { SnapshotCentroids } from '../snapshot/schema.ts';
import type { Encoders, Vector } from './encoder.ts';
import { centroidOf } from './vector.ts';

/** In text, a number is shorter without digits that change no margin. */
const decimals = 1e5;

/** Requests wait behind no more texts than these. */
const batchTexts = 4;

export type Embed = (texts: readonly string[]) => Promise<readonly (Vector | null)[]>;

/** Null when there is no encoder of the tier. `timeoutMs` bounds the wait for a few texts by the refined one. */
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

/** Null when the encoder knows nothing of any of the texts. */
export function snapshotCentroid(vectors: readonly (Vector | null)[]): readonly number[] | null {
  const centroid = centroidOf(vectors.filter((vector) => vector !== null));
  return centroid === null
    ? null
    : Array.from(centroid, (value) => Math.round(value * decimals) / decimals);
}

/** Null when no class has one. */
export function snapshotCentroids(
  encoder: string,
  centroids: readonly Centroid[],
): SnapshotCentroids | null {
  const classes = centroids.flatMap(({ id, centroid }) =>
    centroid === null ? [] : [{ id, centroid }],
  );
  return classes.length === 0 ? null : { encoder, classes };
}
