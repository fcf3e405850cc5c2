// Enforces a minimum pause between two runs of work.

export type Pause = Readonly<{
  /** If false, the work runs when the pause ends. */
  isOver: () => boolean;
  /** Starts or restarts the pause. 0 ends it. */
  take: (ms: number) => void;
  /** Also cancels the waiting work. */
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
