// Decides what follows the death of a worker: a restart after a pause, or the end of all workers if they keep dying.

/** A worker that ran this long resets its crash counter. */
const longLifeMs = 60_000;
const pauseMsMin = 100;
const pauseMsMax = 10_000;
const shortLivesMax = 6;

/** Consecutive short runs of one worker slot. */
export type ShortLives = number;

export type Verdict =
  | Readonly<{ kind: 'replace'; afterMs: number; shortLives: ShortLives }>
  | Readonly<{ kind: 'give_up' }>;

export function afterDeath(livedMs: number, before: ShortLives): Verdict {
  const shortLives = livedMs >= longLifeMs ? 1 : before + 1;
  if (shortLives >= shortLivesMax) return { kind: 'give_up' };
  const afterMs = Math.min(pauseMsMax, pauseMsMin * 2 ** (shortLives - 1));
  return { kind: 'replace', afterMs, shortLives };
}
