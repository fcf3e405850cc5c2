// Decides what follows the death of a worker: another in its place after a pause, or the end of all when none of them lasts.

/** A worker that lived so long died of something new. */
const longLifeMs = 60_000;
const pauseMsMin = 100;
const pauseMsMax = 10_000;
const shortLivesMax = 6;

/** Lives in a row, of one place, that were short. */
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
