// Whose turn it is to be asked for engine metrics: those that have waited longest, of a bounded number at once. An endpoint that is gone
// holds its slot until the time is up, so such ones have only some of the slots: a rack that fails must not make the readings of all
// others too old.

export type Waiting = Readonly<{
  /** When it was last asked. */
  scrapedAtMs: number;
  /** It has not answered its last question. */
  isSilent: boolean;
}>;

/** At once. Further ones wait for the next turn. */
const parallelMax = 64;
const silentMax = 32;

/** `asking` are those that have been asked and have not answered yet. */
export function selectDue<One extends Waiting>(
  due: readonly One[],
  asking: readonly Waiting[],
): readonly One[] {
  let slots = parallelMax - asking.length;
  let silentSlots = silentMax - asking.filter(({ isSilent }) => isSilent).length;
  return due
    .toSorted((a, b) => a.scrapedAtMs - b.scrapedAtMs)
    .filter(({ isSilent }) => {
      if (slots <= 0 || (isSilent && silentSlots <= 0)) return false;
      slots--;
      if (isSilent) silentSlots--;
      return true;
    });
}
