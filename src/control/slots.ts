// Slots: at most so many pieces of work at once, and a bounded line of those that wait; beyond it the answer is no.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type Slots = Readonly<{
  run: <T>(work: () => Promise<T>) => Promise<T | Refusal>;
}>;

export type SlotLimits = Readonly<{
  parallelMax: number;
  waitingMax: number;
  /** What the refusal says of the work. */
  what: string;
}>;

export function createSlots({ parallelMax, waitingMax, what }: SlotLimits): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;

  const release = (): void => {
    const next = waiting.shift();
    // A slot that someone waits for is handed over, not freed: a newcomer must not overtake the line.
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    run: async (work) => {
      if (running < parallelMax) {
        running += 1;
      } else {
        if (waiting.length >= waitingMax) {
          return refuse('unavailable', `too many ${what} at once`, { retryAfterSeconds: 1 });
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
