// Records a histogram of seconds in typed arrays: an observation costs a few comparisons and two
// additions.

/** Upper bounds in seconds. Longer durations count only in the total. */
export const secondsBounds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  30, 60,
];

/**
 * `counts[i]` counts observations up to bound i and above the previous bound; the last has no
 * bound.
 */
export type Durations = { readonly counts: Float64Array; sum: number };

export const newDurations = (): Durations => ({
  counts: new Float64Array(secondsBounds.length + 1),
  sum: 0,
});

export function observe(durations: Durations, milliseconds: number): void {
  const seconds = milliseconds / 1000;
  let index = 0;
  while (index < secondsBounds.length && seconds > (secondsBounds[index] ?? 0)) index++;
  durations.counts[index] = (durations.counts[index] ?? 0) + 1;
  durations.sum += seconds;
}

export function addDurations(target: Durations, other: Durations): void {
  for (const [index, count] of other.counts.entries()) {
    target.counts[index] = (target.counts[index] ?? 0) + count;
  }
  target.sum += other.sum;
}
