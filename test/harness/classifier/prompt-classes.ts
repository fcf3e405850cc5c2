// Builds prompt classes with centroids from simple encoders.

import { snapshotCentroid, snapshotCentroids } from '../../../src/classifier/centroids.ts';
import type { Encoder, Encoders, RefinedEncoder } from '../../../src/classifier/encoder.ts';
import { normalise } from '../../../src/classifier/vector.ts';
import { openEncoders } from '../../../src/cli/encoders.ts';
import { promptClassId } from '../../../src/lib/ids.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { builtInClassifier } from '../gateway/gateway.ts';

/** The encoders of a process with default settings. */
export const builtInEncoders = (): Promise<Encoders> => openEncoders(builtInClassifier);

/** Counts letters, so texts with the same letters are close. */
export const letterEncoder: Encoder = {
  identity: 'letters',
  dimensions: 26,
  embed: (text) => {
    const counts = new Float32Array(26);
    for (const letter of text.toLowerCase()) {
      const at = letter.charCodeAt(0) - 97;
      if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1;
    }
    return normalise(counts) ? counts : null;
  },
};

export const lettersInProcess: Encoders['fast'] = {
  identity: letterEncoder.identity,
  open: () => letterEncoder,
};

/** A refined encoder that embeds with the test's function. */
export const refinedLetters = (embed: RefinedEncoder['embed']): RefinedEncoder => ({
  identity: 'refined-letters',
  embed,
});

/** Adds the centroids of these examples, keyed by class name, to a snapshot. */
export function withExamples(
  snapshot: Snapshot,
  examples: Readonly<Record<string, readonly string[]>>,
  { fast, refined }: Readonly<{ fast: string; refined: string | null }>,
): Snapshot {
  const centroids = (tier: 'fast' | 'refined') =>
    snapshot.config.prompt_classes
      .filter((one) => one.tier === tier)
      .map(({ id, name }) => ({
        id: promptClassId.parse(id),
        centroid: snapshotCentroid((examples[name] ?? []).map(letterEncoder.embed)),
      }));
  return {
    ...snapshot,
    classifier: {
      fast: snapshotCentroids(fast, centroids('fast')),
      refined: refined === null ? null : snapshotCentroids(refined, centroids('refined')),
    },
  };
}
