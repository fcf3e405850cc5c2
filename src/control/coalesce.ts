// Merges concurrent requests for the same work. Each caller gets a run that starts after its call.

/** Runs never overlap. A failed run rejects only for the callers that wait for it. */
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
