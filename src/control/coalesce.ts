// Work that many ask for at once runs once for all of them: whoever asks gets a run that begins after.

/** One run at a time. A run that fails fails for those who waited for it, and for no later one. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    try {
      await work();
    } finally {
      running = null;
    }
  };
  const start = (): Promise<void> => (running = run());
  const startNext = (): Promise<void> => {
    next = null;
    return start();
  };
  return () => {
    if (next !== null) return next;
    if (running === null) return start();
    next = running.then(startNext, startNext);
    return next;
  };
}
