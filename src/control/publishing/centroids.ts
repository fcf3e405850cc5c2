// Computes the centroids of prompt classes from their examples in the vault. A class with unchanged
// examples keeps its centroids. A class whose encoder fails is omitted from this snapshot and
// retried for the next.

import type { Queryable } from '@databases/pg';

import type { PromptClass, PromptExample } from '../../../projections/config/prompt-class.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { embedderOf, snapshotCentroid, snapshotCentroids } from '../../classifier/centroids.ts';
import type { Centroid, Embed } from '../../classifier/centroids.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import type { Vault } from '../../db/vault.ts';
import type { PromptClassTier } from '../../lib/vocabulary.ts';
import type { SnapshotCentroids, SnapshotClassifier } from '../../snapshot/schema.ts';

export type Centroids = Readonly<{ of: (state: ConfigState) => Promise<SnapshotClassifier> }>;

type Dependencies = Readonly<{
  db: Queryable;
  vault: Pick<Vault, 'reveal'>;
  /** Null if this process computes no centroids. */
  encoders: Encoders | null;
  onFailure: (what: string, error: unknown) => void;
}>;

/** For a few examples. */
const refinedWaitMs = 30_000;

export function createCentroids({ db, vault, encoders, onFailure }: Dependencies): Centroids {
  // Keyed by the list of examples, which is a new object after each change.
  const known = {
    fast: new WeakMap<readonly PromptExample[], readonly number[] | null>(),
    refined: new WeakMap<readonly PromptExample[], readonly number[] | null>(),
  };
  const centroidOf = async (
    { examples }: PromptClass,
    tier: PromptClassTier,
    embed: Embed,
  ): Promise<readonly number[] | null> => {
    const held = known[tier].get(examples);
    if (held !== undefined) return held;
    const texts = await exampleTexts({ db, vault }, examples);
    const centroid = snapshotCentroid(await embed([...texts.values()]));
    known[tier].set(examples, centroid);
    return centroid;
  };
  const centroidsOf = async (
    state: ConfigState,
    tier: PromptClassTier,
  ): Promise<SnapshotCentroids | null> => {
    const embedder = embedderOf(encoders, tier, refinedWaitMs);
    if (embedder === null) return null;
    const made: Centroid[] = [];
    for (const one of state.prompt_class.byId.values()) {
      if (one.tier !== tier || one.examples.length === 0) continue;
      made.push({ id: one.id, centroid: await centroidOf(one, tier, embedder.embed) });
    }
    return snapshotCentroids(embedder.identity, made);
  };
  return {
    of: async (state) => ({
      fast: await centroidsOf(state, 'fast'),
      refined: await centroidsOf(state, 'refined').catch((error: unknown) => {
        onFailure('computing the centroids of refined prompt classes', error);
        return null;
      }),
    }),
  };
}

/** By id. Omits examples that cannot be opened. */
export async function exampleTexts(
  { db, vault }: Pick<Dependencies, 'db' | 'vault'>,
  examples: readonly PromptExample[],
): Promise<ReadonlyMap<number, string>> {
  const refs = examples.map(({ ref }) => ref);
  const revealed = await vault.reveal(db, refs);
  return new Map(
    examples.flatMap(({ id, ref }) => {
      const text = revealed.get(ref);
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}
