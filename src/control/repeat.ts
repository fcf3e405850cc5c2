// Repeats jobs at an interval: publishing changes without events (windows and spending of budgets),
// and maintenance of usage data.

export type Job = Readonly<{ what: string; intervalMs: number; work: () => Promise<unknown> }>;

type Repeating = Readonly<{
  intervalMs: number;
  work: () => Promise<unknown>;
  onFailure: (error: unknown) => void;
}>;

/** The first run is after one interval. `stop` waits for the current run. */
export function repeatEvery({ intervalMs, work, onFailure }: Repeating) {
  let running: Promise<void> | null = null;
  let isFailing = false;

  const run = async (): Promise<void> => {
    try {
      await work();
      isFailing = false;
    } catch (error) {
      // Only the first failure, not one every few seconds.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
    running = null;
  };

  // A run that takes longer than the interval skips its next turn.
  const timer = setInterval(() => void (running ??= run()), intervalMs);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
