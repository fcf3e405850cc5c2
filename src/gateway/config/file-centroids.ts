// Computes the centroids of prompt classes in File mode, which has no control plane.

import { embedderOf, snapshotCentroid, snapshotCentroids } from '../../classifier/centroids.ts';
import type { Centroid } from '../../classifier/centroids.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import type { PromptClassTier } from '../../lib/vocabulary.ts';
import type { FileSnapshot } from '../../snapshot/file-mode.ts';
import type { SnapshotCentroids, SnapshotClassifier } from '../../snapshot/schema.ts';

type Classes = Pick<FileSnapshot, 'snapshot' | 'examples'>;

/** For the examples of one class. */
const refinedWaitMs = 30_000;

/** `onFailure` receives an error of the refined encoder. That tier then has no centroids. */
export async function fileCentroids(
  file: Classes,
  encoders: Encoders,
  onFailure: (error: unknown) => void,
): Promise<SnapshotClassifier> {
  return {
    fast: await centroidsOf(file, encoders, 'fast'),
    refined: await centroidsOf(file, encoders, 'refined').catch((error: unknown) => {
      onFailure(error);
      return null;
    }),
  };
}

async function centroidsOf(
  { snapshot, examples }: Classes,
  encoders: Encoders,
  tier: PromptClassTier,
): Promise<SnapshotCentroids | null> {
  const embedder = embedderOf(encoders, tier, refinedWaitMs);
  if (embedder === null) return null;
  const made: Centroid[] = [];
  for (const [index, { id, tier: own }] of snapshot.config.prompt_classes.entries()) {
    const texts = examples[index] ?? [];
    if (own !== tier || texts.length === 0) continue;
    made.push({ id, centroid: snapshotCentroid(await embedder.embed(texts)) });
  }
  return snapshotCentroids(embedder.identity, made);
}
