// Finds the class of a prompt, when a rule that the request may come to names one. The fast tier answers at once; what it
// passes on is answered by another thread, and waited for no longer than a bound: then the fast tier's word stands.

import type { Encoder, Encoders, RefinedEncoder } from '../classifier/encoder.ts';
import { clearWinner, refinersOf, tiersOf } from '../classifier/tiers.ts';
import type { Contender, Tiers } from '../classifier/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import type { PromptClassId } from '../lib/ids.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import type { SnapshotCentroids } from '../snapshot/schema.ts';
import { newDurations, observe } from '../telemetry/histogram.ts';
import type { Log } from '../telemetry/log.ts';
import type { Source } from '../telemetry/scrape.ts';
import { promptText } from './prompt-text.ts';
import type { Peeked } from './peek.ts';
import type { ProxiedRoute } from './routes.ts';

export type Unclassified = Readonly<{
  snapshot: CompiledSnapshot;
  peeked: Peeked;
  body: Buffer;
  proxied: ProxiedRoute;
  /** It will be refused for its budget or rate: nobody else waits for its sake. */
  isRefused: boolean;
}>;

export type Classifier = Readonly<{
  /** Makes ready for the requests of a snapshot. */
  serve: (snapshot: CompiledSnapshot) => void;
  /** Null when no rule asks, and of a prompt of no class. A promise only where the refined tier is asked. */
  classOf: (request: Unclassified) => PromptClassId | null | Promise<PromptClassId | null>;
  /** What it counts; null where nothing can be classified. */
  source: Source | null;
}>;

/** Of a process without an encoder. */
export const noClassifier: Classifier = { serve: () => {}, classOf: () => null, source: null };

type Dependencies = Readonly<{ encoders: Encoders; log: Log; monotonic: Clock }>;

/** A refined encoder takes some tens of milliseconds; behind others it waits. */
const refinedWaitMs = 250;

/** What a snapshot is classified with. An encoder that its centroids are not of is null. */
type Ready = Readonly<{ tiers: Tiers; fast: Encoder | null; refined: RefinedEncoder | null }>;

export function createClassifier(dependencies: Dependencies): Classifier {
  const { monotonic } = dependencies;
  const counts = { fast: 0, refined: 0, nobody: 0, escalations: 0, durations: newDurations() };
  const known = new WeakMap<CompiledSnapshot, Ready>();
  const told = new Set<string>();
  const readyFor = (snapshot: CompiledSnapshot): Ready => {
    const held = known.get(snapshot);
    if (held !== undefined) return held;
    const ready = makeReady(snapshot, dependencies, told);
    known.set(snapshot, ready);
    return ready;
  };
  return {
    serve: (snapshot) => {
      const models = [...snapshot.frontendModels.values()];
      if (!models.some(({ namedClasses }) => namedClasses.size > 0)) return;
      const { refined } = readyFor(snapshot);
      if (refined === null || !models.some(({ namesRefined }) => namesRefined)) return;
      // The first request finds it loaded.
      refined.embed([''], { timeoutMs: null }).catch((error: unknown) => {
        dependencies.log.error({ error }, 'the refined encoder cannot be used');
      });
    },
    classOf: (request) => {
      const model = request.snapshot.frontendModels.get(request.peeked.model);
      if (model === undefined || model.namedClasses.size === 0) return null;
      const startedAt = monotonic();
      const asksRefined = model.namesRefined && !request.isRefused;
      const found = classify(readyFor(request.snapshot), request, {
        asksRefined,
        onEscalation: () => void counts.escalations++,
      });
      const done = (by: Found): PromptClassId | null => {
        observe(counts.durations, monotonic() - startedAt);
        counts[by.tier]++;
        return by.id;
      };
      return found instanceof Promise ? found.then(done) : done(found);
    },
    source: (scrape) => {
      scrape.add('classifiedFast', {}, counts.fast);
      scrape.add('classifiedRefined', {}, counts.refined);
      scrape.add('unclassified', {}, counts.nobody);
      scrape.add('classifyEscalations', {}, counts.escalations);
      scrape.addDurations('classifyDuration', {}, counts.durations);
    },
  };
}

type Found = Readonly<{ tier: 'fast' | 'refined' | 'nobody'; id: PromptClassId | null }>;

const unclassified: Found = { tier: 'nobody', id: null };

function classify(
  { tiers, fast, refined }: Ready,
  { peeked, body, proxied }: Unclassified,
  { asksRefined, onEscalation }: Readonly<{ asksRefined: boolean; onEscalation: () => void }>,
): Found | Promise<Found> {
  if (fast === null || peeked.format !== 'json') return unclassified;
  const text = promptText(body, peeked.open, proxied);
  const vector = text === null ? null : fast.embed(text);
  const winner = vector === null ? null : clearWinner(tiers.fast, vector);
  if (winner === null || text === null) return unclassified;
  const standing: Found = { tier: 'fast', id: winner.id };
  const refiners = refinersOf(tiers, winner);
  if (!asksRefined || refined === null || refiners.length === 0) return standing;
  onEscalation();
  return refine(refined, refiners, text).then((finer) =>
    finer === null ? standing : { tier: 'refined', id: finer.id },
  );
}

/** Null when none of them is clearly nearest, and when the encoder fails or is late. */
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

function makeReady(
  { promptClasses, classifier }: CompiledSnapshot,
  { encoders: { fast, refined }, log }: Dependencies,
  told: Set<string>,
): Ready {
  const isOwn = (
    centroids: SnapshotCentroids | null,
    own: string | null,
    tier: string,
  ): boolean => {
    if (centroids === null || centroids.encoder === own) return centroids !== null;
    const fields = { tier, made_with: centroids.encoder, own };
    const words = JSON.stringify(fields);
    if (!told.has(words))
      log.warn(
        fields,
        'the centroids of prompt classes are of another encoder: prompts of this tier are not classified',
      );
    told.add(words);
    return false;
  };
  return {
    tiers: tiersOf(promptClasses, classifier),
    fast: isOwn(classifier.fast, fast.identity, 'fast') ? fast.open() : null,
    refined: isOwn(classifier.refined, refined?.identity ?? null, 'refined') ? refined : null,
  };
}
