// Enforces a minimum pause between two runs of work that is requested more often.

export type Pause = Readonly<{
  /** True if no pause is active. Otherwise the work runs when the pause ends. */
  isOver: () => boolean;
  /** Starts or restarts the pause. 0 ends it. */
  take: (ms: number) => void;
  /** Cancels the pause and the work that waits for its end. */
  close: () => void;
}>;

export function createPause(work: () => void): Pause {
  let timer: NodeJS.Timeout | null = null;
  let isWanted = false;
  const close = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const end = (): void => {
    timer = null;
    if (isWanted) work();
  };
  return {
    isOver: () => {
      isWanted = timer !== null;
      return !isWanted;
    },
    take: (ms) => {
      close();
      if (ms > 0) timer = setTimeout(end, ms).unref();
    },
    close,
  };
}
