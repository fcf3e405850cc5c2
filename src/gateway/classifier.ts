// Finds the class of a prompt, when a rule that the request may come to names one. The fast tier answers at once; what it
// passes on is answered by another thread, and waited for no longer than a bound: then the fast tier's word stands.

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

const encoderMismatch =
  'the centroids of prompt classes are of another encoder: prompts of this tier are not classified';

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
      // The first request finds it loaded.
      refined.embed([''], { timeoutMs: null }).catch((error: unknown) => {
        log.error({ error }, 'the refined encoder cannot be used');
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
