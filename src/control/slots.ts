// Limits how many pieces of work run at once. Refuses work that does not fit into the bounded
// queue.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type Slots = Readonly<{
  run: <T>(work: () => Promise<T>) => Promise<T | Refusal>;
}>;

export type SlotLimits = Readonly<{
  parallelMax: number;
  waitingMax: number;
  /** Describes the work in the refusal. */
  what: string;
}>;

export function createSlots({ parallelMax, waitingMax, what }: SlotLimits): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  const release = (): void => {
    const next = waiting.shift();
    // Hands the slot to the first in the queue, so that a newcomer cannot overtake it.
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    run: async (work) => {
      if (running < parallelMax) {
        running += 1;
      } else {
        if (waiting.length >= waitingMax) {
          return refuse('unavailable', `too many concurrent ${what}; retry later`, {
            retryAfterSeconds: 1,
          });
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
