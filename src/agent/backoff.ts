// How long to wait before what failed is tried again: twice as long each time up to a limit, and never quite the same for two hosts.

const firstMs = 1_000;

export type Failures = Readonly<{
  /** How many in a row; at least 1. */
  count: number;
  limitMs: number;
  /** What the other side asked for; it counts as far as the limit goes. */
  askedMs: number | null;
}>;

/** `random` is at least 0 and below 1. A host waits between half of the time and all of it. */
export function backoffMs({ count, limitMs, askedMs }: Failures, random: number): number {
  const doubled = firstMs * 2 ** Math.min(count - 1, 20);
  const fullMs = Math.min(limitMs, Math.max(doubled, askedMs ?? 0));
  // What was asked for is a least time: its jitter goes upwards.
  const leastMs = Math.min(limitMs, askedMs ?? 0);
  return Math.max(leastMs, fullMs * (0.5 + random / 2));
}
