// The centroids of a configuration's prompt classes, made of their examples in the vault. A class whose examples did not change
// keeps the ones it has; what an encoder cannot do now is left out of the snapshot and tried again for the next one.

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
  /** Null: this process makes no centroids. */
  encoders: Encoders | null;
  onFailure: (what: string, error: unknown) => void;
}>;

/** Of a few examples. */
const refinedWaitMs = 30_000;

export function createCentroids({ db, vault, encoders, onFailure }: Dependencies): Centroids {
  // By the list of examples, which is another one once it changes; the centroid of a tier never is.
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
        onFailure('making the centroids of refined prompt classes', error);
        return null;
      }),
    }),
  };
}

/** The texts of those examples that can be opened, by their ids. */
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
