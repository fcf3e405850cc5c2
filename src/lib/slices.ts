// Splits long work into slices and lets the event loop serve other work between them.

import type { Clock } from './clock.ts';
import type { Steps } from './steps.ts';

/** Returns at once unless the slice is over. */
export type YieldTurn = () => Promise<void>;

const sliceMs = 10;

export function createYieldTurn(monotonic: Clock): YieldTurn {
  let endsMs = monotonic() + sliceMs;
  return async () => {
    if (monotonic() < endsMs) return;
    await new Promise<void>((resolve) => void setImmediate(resolve));
    endsMs = monotonic() + sliceMs;
  };
}

export async function inSlices<Value>(yieldTurn: YieldTurn, steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldTurn();
  }
}
