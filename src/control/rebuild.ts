// The rebuild of the snapshot, now and then: what changes without an event (windows of budgets, what is spent of them) reaches
// proxies by it, one overlay at most each time.

type Rebuilding = Readonly<{
  intervalMs: number;
  rebuild: () => Promise<void>;
  onFailure: (error: unknown) => void;
}>;

/** One at a time, the first one interval from now. `stop` waits for the one that runs. */
export function rebuildEvery({ intervalMs, rebuild, onFailure }: Rebuilding) {
  let running: Promise<void> | null = null;
  let isFailing = false;

  const run = async (): Promise<void> => {
    try {
      await rebuild();
      isFailing = false;
    } catch (error) {
      // Said once, not every few seconds, while the database is away.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
    running = null;
  };

  // A rebuild that takes longer than the interval skips the next one.
  const timer = setInterval(() => void (running ??= run()), intervalMs);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
