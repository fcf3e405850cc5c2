// Selects the endpoints to scrape next: those that have waited longest, within a limit. An
// unresponsive endpoint holds its slot until the timeout, so such endpoints get only part of the
// slots. Otherwise a failed rack could make all other readings stale.

export type Waiting = Readonly<{
  scrapedAtMs: number;
  /** It did not answer its last scrape. */
  isSilent: boolean;
}>;

/** Others wait for the next tick. */
const parallelMax = 64;
const silentMax = 32;

export function selectDue<One extends Waiting>(
  due: readonly One[],
  inFlight: readonly Waiting[],
): readonly One[] {
  let slots = parallelMax - inFlight.length;
  let silentSlots = silentMax - inFlight.filter(({ isSilent }) => isSilent).length;
  return due
    .toSorted((a, b) => a.scrapedAtMs - b.scrapedAtMs)
    .filter(({ isSilent }) => {
      if (slots <= 0 || (isSilent && silentSlots <= 0)) return false;
      slots--;
      if (isSilent) silentSlots--;
      return true;
    });
}
