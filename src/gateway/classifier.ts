// Classifies a prompt when a rule that can apply to the request names a class. The fast tier
// answers synchronously. A prompt that it escalates goes to another thread; after a bounded wait
// the fast tier's result is used.

import { classify, readyFor, unclassified } from '../classifier/classify.ts';
import type { Found, Mismatch, Ready } from '../classifier/classify.ts';
import type { Encoders } from '../classifier/encoder.ts';
import type { Clock } from '../lib/clock.ts';
import type { PromptClassId } from '../lib/ids.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import { newDurations, observe } from '../telemetry/histogram.ts';
import type { Log } from '../telemetry/log.ts';
import type { Source } from '../telemetry/scrape.ts';
import { promptText } from './body/prompt-text.ts';
import type { Peeked } from './body/peek.ts';
import type { ProxiedRoute } from './routes.ts';

export type Unclassified = Readonly<{
  snapshot: CompiledSnapshot;
  peeked: Peeked;
  body: Buffer;
  proxied: ProxiedRoute;
  /** The budget or rate limit will refuse the request, so it must not wait for the refined tier. */
  isRefused: boolean;
}>;

export type Classifier = Readonly<{
  /** Prepares for the requests of a snapshot. */
  serve: (snapshot: CompiledSnapshot) => void;
  /** Null when no rule names a class, or the prompt has none. A promise only when the refined tier is used. */
  classOf: (request: Unclassified) => PromptClassId | null | Promise<PromptClassId | null>;
  /** The metrics source. Null without a classifier. */
  source: Source | null;
}>;

/** For a process without an encoder. */
export const noClassifier: Classifier = { serve: () => {}, classOf: () => null, source: null };

type Dependencies = Readonly<{ encoders: Encoders; log: Log; monotonic: Clock }>;

const encoderMismatch =
  'the centroids of prompt classes were made by another encoder; this tier does not classify prompts';

export function createClassifier({ encoders, log, monotonic }: Dependencies): Classifier {
  const counts = { fast: 0, refined: 0, none: 0, escalations: 0, durations: newDurations() };
  const known = new WeakMap<CompiledSnapshot, Ready>();
  const warned = new Set<string>();
  const warnOnce = (mismatch: Mismatch): void => {
    const key = JSON.stringify(mismatch);
    if (!warned.has(key)) log.warn(mismatch, encoderMismatch);
    warned.add(key);
  };
  const readyWith = (snapshot: CompiledSnapshot): Ready => {
    const ready = known.get(snapshot) ?? readyFor(snapshot, encoders, warnOnce);
    known.set(snapshot, ready);
    return ready;
  };
  return {
    serve: (snapshot) => {
      const models = [...snapshot.frontendModels.values()];
      if (!models.some(({ namedClasses }) => namedClasses.size > 0)) return;
      const { refined } = readyWith(snapshot);
      if (refined === null || !models.some(({ namesRefined }) => namesRefined)) return;
      // Loads the encoder before the first request.
      refined.embed([''], { timeoutMs: null }).catch((error: unknown) => {
        log.error({ error }, 'the refined encoder failed to load');
      });
    },
    classOf: ({ snapshot, peeked, body, proxied, isRefused }) => {
      const model = snapshot.frontendModels.get(peeked.model);
      if (model === undefined || model.namedClasses.size === 0) return null;
      const startedAt = monotonic();
      const text = peeked.format === 'json' ? promptText(body, peeked.open, proxied) : null;
      const found =
        text === null
          ? unclassified
          : classify(readyWith(snapshot), text, {
              asksRefined: model.namesRefined && !isRefused,
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
      scrape.add('unclassified', {}, counts.none);
      scrape.add('classifyEscalations', {}, counts.escalations);
      scrape.addDurations('classifyDuration', {}, counts.durations);
    },
  };
}
