// The class of a text, by the tiers that a process has: the fast one at once; where its winner is refined, the refined one
// within a bound, and if it fails or is late, or finds none clearly nearest, the word of the fast tier stands.

import type { PromptClassId } from '../lib/ids.ts';
import type { PromptClassTier } from '../lib/vocabulary.ts';
import type { SnapshotClassifier, SnapshotPromptClass } from '../snapshot/schema.ts';
import type { Encoder, Encoders, RefinedEncoder } from './encoder.ts';
import { clearWinner, refinersOf, tiersOf } from './tiers.ts';
import type { Contender, Tiers } from './tiers.ts';

/** What texts are classified with under one snapshot. An encoder that its centroids are not of is null. */
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

/** `onMismatch` is told of centroids that cannot be compared with anything here. */
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

/** Who found it; nobody finds null. */
export type Found = Readonly<{ tier: PromptClassTier | 'none'; id: PromptClassId | null }>;

export const unclassified: Found = { tier: 'none', id: null };

type Asking = Readonly<{
  /** Otherwise the fast tier's word is enough. */
  asksRefined: boolean;
  /** Told when the refined tier is asked. */
  onEscalation: () => void;
}>;

/** A refined encoder takes some tens of milliseconds; behind others it waits. */
const refinedWaitMs = 250;

/** A promise only when the refined tier is asked. */
export function classify(
  { tiers, fast, refined }: Ready,
  text: string,
  { asksRefined, onEscalation }: Asking,
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
