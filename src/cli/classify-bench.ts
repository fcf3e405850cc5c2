// Measures the encoders of both tiers on prompts of several lengths.

import type { PromptClassTier } from '../lib/vocabulary.ts';
import { openEncoders } from './encoders.ts';
import type { ClassifierSettings } from './encoders.ts';

export type Measured = Readonly<{
  tier: PromptClassTier;
  encoder: string;
  characters: number;
  median_ms: number;
  worst_ms: number;
}>;

type Extent = Readonly<{ iterations: number; concurrency: number }>;

const lengths: readonly number[] = [100, 1_000, 4_096];
const sample =
  'The query takes forty seconds although there is an index; explain the plan, please, and say what you would change first. ';
/** Warms up, so that compiled code is measured. */
const warmUp = 200;

/** Rejects if an encoder cannot be used. */
export async function measureClassifier(
  settings: ClassifierSettings,
  { iterations, concurrency }: Extent,
): Promise<readonly Measured[]> {
  const { fast, refined, close } = await openEncoders(settings);
  try {
    const encoder = fast.open();
    const measured: Measured[] = [];
    for (const characters of lengths) {
      const text = textOf(characters);
      for (let times = 0; times < warmUp; times++) encoder.embed(text);
      const tookMs = Array.from({ length: iterations }, () => timed(() => encoder.embed(text)));
      measured.push({ tier: 'fast', encoder: fast.identity, characters, ...summary(tookMs) });
    }
    if (refined === null) return measured;
    await refined.embed([sample], { timeoutMs: null });
    for (const characters of lengths) {
      const text = textOf(characters);
      const tookMs: number[] = [];
      while (tookMs.length < iterations) {
        const count = Math.min(concurrency, iterations - tookMs.length);
        const batch = Array.from({ length: count }, async () => {
          const startedAt = performance.now();
          await refined.embed([text], { timeoutMs: null });
          return performance.now() - startedAt;
        });
        tookMs.push(...(await Promise.all(batch)));
      }
      measured.push({ tier: 'refined', encoder: refined.identity, characters, ...summary(tookMs) });
    }
    return measured;
  } finally {
    await close();
  }
}

const textOf = (characters: number): string =>
  sample.repeat(Math.ceil(characters / sample.length)).slice(0, characters);

function timed(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}

function summary(tookMs: readonly number[]): Pick<Measured, 'median_ms' | 'worst_ms'> {
  const sorted = tookMs.toSorted((a, b) => a - b);
  return {
    median_ms: sorted[Math.floor(sorted.length / 2)] ?? 0,
    worst_ms: sorted.at(-1) ?? 0,
  };
}
