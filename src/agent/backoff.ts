// Computes the wait before a retry: exponential up to a limit, with jitter.

const firstMs = 1_000;

export type Failures = Readonly<{
  /** Consecutive failures; at least 1. */
  count: number;
  limitMs: number;
  /** The Retry-After of the other side, capped at the limit. */
  askedMs: number | null;
}>;

/** `random` is from 0 up to, but not including, 1. A host waits between half of the time and all of it. */
export function backoffMs({ count, limitMs, askedMs }: Failures, random: number): number {
  const doubled = firstMs * 2 ** Math.min(count - 1, 20);
  const fullMs = Math.min(limitMs, Math.max(doubled, askedMs ?? 0));
  // Retry-After is a minimum, so its jitter only adds time.
  const leastMs = Math.min(limitMs, askedMs ?? 0);
  return Math.max(leastMs, fullMs * (0.5 + random / 2));
}
