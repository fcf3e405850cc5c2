// Stores the last known head of the log and wakes callers that wait for it to grow.

import { EventEmitter } from 'eventemitter3';

export type Heads = Readonly<{
  tell: (position: number) => void;
  /** Resolves when the log is known to extend past `position`, or on timeout or abort. */
  past: (position: number, waiting: Waiting) => Promise<void>;
}>;

export type Waiting = Readonly<{ ms: number; signal: AbortSignal }>;

export function createHeads(): Heads {
  const seen = new EventEmitter<{ head: [number] }>();
  let head = 0;
  return {
    tell: (position) => {
      head = position;
      seen.emit('head', position);
    },
    past: async (position, { ms, signal }) => {
      if (signal.aborted || head > position) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const onHead = (now: number): void => {
        if (now > position) resolve();
      };
      const onAbort = (): void => resolve();
      const timer = setTimeout(resolve, ms);
      seen.on('head', onHead);
      signal.addEventListener('abort', onAbort);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        seen.off('head', onHead);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
