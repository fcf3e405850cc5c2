// Long work in slices: between two of them, others of the process are served.

import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';

/** Waits until others had their turn, when the slice is over; at once otherwise. */
export type Breathe = () => Promise<void>;

const sliceMs = 10;

export function createBreathe(monotonic: Clock): Breathe {
  let endsMs = monotonic() + sliceMs;
  return async () => {
    if (monotonic() < endsMs) return;
    await setImmediate();
    endsMs = monotonic() + sliceMs;
  };
}

/** Others have their turn between two steps, when a slice is over there. */
export async function inSlices<Value>(breathe: Breathe, steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await breathe();
  }
}
