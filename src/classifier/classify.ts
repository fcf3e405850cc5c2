// Classifies a text. The fast tier answers at once. If other classes refine its winner, the refined
// tier decides among those within a time limit. If that fails, times out or finds no clear winner,
// the fast tier's result is used.

import type { PromptClassId } from '../lib/ids.ts';
import type { PromptClassTier } from '../lib/vocabulary.ts';
import type { SnapshotClassifier, SnapshotPromptClass } from '../snapshot/schema.ts';
import type { Encoder, Encoders, RefinedEncoder } from './encoder.ts';
import { clearWinner, refinersOf, tiersOf } from './tiers.ts';
import type { Contender, Tiers } from './tiers.ts';

/** An encoder is null if the centroids were made with a different one. */
export type Ready = Readonly<{
  tiers: Tiers;
  fast: Encoder | null;
  refined: RefinedEncoder | null;
}>;

export type Mismatch = Readonly<{ tier: PromptClassTier; made_with: string; own: string | null }>;

type Classes = Readonly<{
  promptClasses: readonly SnapshotPromptClass[];
  classifier: SnapshotClassifier;
}>;

/** Calls `onMismatch` for centroids of an encoder that this process does not have. */
export function readyFor(
  { promptClasses, classifier }: Classes,
  encoders: Encoders,
  onMismatch: (mismatch: Mismatch) => void,
): Ready {
  const isOwn = (tier: PromptClassTier): boolean => {
    const made_with = classifier[tier]?.encoder;
    const own = encoders[tier]?.identity ?? null;
    if (made_with !== undefined && made_with !== own) onMismatch({ tier, made_with, own });
    return made_with === own;
  };
  return {
    tiers: tiersOf(promptClasses, classifier),
    fast: isOwn('fast') ? encoders.fast.open() : null,
    refined: isOwn('refined') ? encoders.refined : null,
  };
}

/** The tier that found the class; `id` is null if none did. */
export type Found = Readonly<{ tier: PromptClassTier | 'none'; id: PromptClassId | null }>;

export const unclassified: Found = { tier: 'none', id: null };

type ClassifyOptions = Readonly<{
  /** False to use only the fast tier. */
  asksRefined: boolean;
  /** Called when the refined tier is used. */
  onEscalation: () => void;
}>;

/** A refined encoder takes some tens of milliseconds, and longer when other texts are queued. */
const refinedWaitMs = 250;

/** Returns a promise only if the refined tier is used. */
export function classify(
  { tiers, fast, refined }: Ready,
  text: string,
  { asksRefined, onEscalation }: ClassifyOptions,
): Found | Promise<Found> {
  const vector = fast?.embed(text) ?? null;
  const winner = vector === null ? null : clearWinner(tiers.fast, vector);
  if (winner === null) return unclassified;
  const standing: Found = { tier: 'fast', id: winner.id };
  const refiners = refinersOf(tiers, winner);
  if (!asksRefined || refined === null || refiners.length === 0) return standing;
  onEscalation();
  return refine(refined, refiners, text).then((finer) =>
    finer === null ? standing : { tier: 'refined', id: finer.id },
  );
}

async function refine(
  encoder: RefinedEncoder,
  refiners: readonly Contender[],
  text: string,
): Promise<Contender | null> {
  try {
    const [vector = null] = await encoder.embed([text], { timeoutMs: refinedWaitMs });
    return vector === null ? null : clearWinner(refiners, vector);
  } catch {
    return null;
  }
}
