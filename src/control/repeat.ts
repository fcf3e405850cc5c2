// Work that is done now and then: the rebuild of the snapshot, by which what changes without an event (windows of budgets, what is
// spent of them) reaches proxies, and the upkeep of usage.

export type Job = Readonly<{ what: string; intervalMs: number; work: () => Promise<unknown> }>;

type Repeating = Readonly<{
  intervalMs: number;
  work: () => Promise<unknown>;
  onFailure: (error: unknown) => void;
}>;

/** One at a time, the first one interval from now. `stop` waits for the one that runs. */
export function repeatEvery({ intervalMs, work, onFailure }: Repeating) {
  let running: Promise<void> | null = null;
  let isFailing = false;

  const run = async (): Promise<void> => {
    try {
      await work();
      isFailing = false;
    } catch (error) {
      // Said once, not every few seconds, while the database is away.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
    running = null;
  };

  // What takes longer than the interval skips its next turn.
  const timer = setInterval(() => void (running ??= run()), intervalMs);
  timer.unref();
  return {
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
