// Holds the one way in which a test waits: on a condition, with a limit, never for a length of time.

import { setTimeout as wait } from 'node:timers/promises';

type Limits = Readonly<{ limitMs?: number; what: string }>;

/** Only a failure reaches it, and a busy machine is slow. Where time is what is tested, the caller says how much. */
const limitDefaultMs = 60_000;
const pauseMs = 10;

type Answer<Value> = Value | false | null | undefined;

/** Answers the condition's first value that is not false, null or undefined; fails with `what` at the limit. */
export async function until<Value>(
  condition: () => Answer<Value> | Promise<Answer<Value>>,
  { limitMs = limitDefaultMs, what }: Limits,
): Promise<Value> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await wait(pauseMs);
  }
}
