// Runs work concurrently, up to a limit.

/** Starts items in order. After the first failure, starts no more and rejects with it. */
export async function eachInParallel<Item>(
  items: readonly Item[],
  parallelMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all workers: each takes the next item.
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
