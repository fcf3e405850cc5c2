// Work on many things at once, within a bound.

/** Begins in the order of the list, at most so many at once. The first that fails is the failure of all; no further one begins then. */
export async function eachInParallel<Item>(
  items: readonly Item[],
  parallelMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all workers: each takes what comes next.
  const rest = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (hasFailed) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelMax, items.length) }, worker));
}
