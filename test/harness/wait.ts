// Waits for a condition, with a limit. Tests never wait for a fixed time.

import { setTimeout as wait } from 'node:timers/promises';

type Limits = Readonly<{ limitMs?: number; what: string }>;

/**
 * Generous, because only failures reach it and machines may be busy. Tests of timing pass their
 * own.
 */
const limitDefaultMs = 60_000;
const pauseMs = 10;

type Answer<Value> = Value | false | null | undefined;

/**
 * Resolves with the condition's first value that is not false, null or undefined; fails with `what`
 * at the limit.
 */
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
