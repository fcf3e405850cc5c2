// Decides whether the spending of an hour is an anomaly: more than a multiple of the median of the
// same hour on the days before.

/** The days before, at the same hour of UTC. */
export const baselineDays = 14;

/** `floorMicros` is in micro-units of any currency: less is never an anomaly. */
export type AnomalyLimits = Readonly<{ factor: number; floorMicros: number }>;

/** Micro-units of one currency. `before` leaves out days without spending. */
export type HourSpending = Readonly<{ spent: number; before: readonly number[] }>;

/** Returns the median if the hour is an anomaly, else null. The hour may still be running. */
export function anomalousAgainst(
  { spent, before }: HourSpending,
  { factor, floorMicros }: AnomalyLimits,
): number | null {
  const median = medianOfDays(before);
  return spent >= floorMicros && spent > factor * median ? median : null;
}

/** Days without spending count as zero. */
function medianOfDays(before: readonly number[]): number {
  const missing = Math.max(0, baselineDays - before.length);
  const sorted = [...Array<number>(missing).fill(0), ...before].toSorted((a, b) => a - b);
  const middle = baselineDays / 2;
  const [lower = 0, upper = 0] = sorted.slice(middle - 1, middle + 1);
  return (lower + upper) / 2;
}
