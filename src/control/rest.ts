// A rest between two pieces of work that are asked for more often than they should be done.

export type Rest = Readonly<{
  /** Whether the rest is over, or there was none. When not, the work is done at its end. */
  isOver: () => boolean;
  /** Begins, or begins anew; 0 is no rest. */
  take: (ms: number) => void;
  /** Ends the rest; what waits for its end is not done. */
  close: () => void;
}>;

export function createRest(work: () => void): Rest {
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
