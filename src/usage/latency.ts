// Divides latencies into buckets, so that percentiles can be merged over time ranges and groups.

/** A value that is read from a bucket differs from the recorded one by at most this share of it. */
const relativeError = 0.01;

/** Larger latencies, in milliseconds, count as this. */
const longestMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The first millisecond of each bucket, ascending. Bucket 1 is the first. Below 50 ms each
 * millisecond has a bucket.
 */
export const bucketStarts: readonly number[] = startsUntil(longestMs);

function startsUntil(lastMs: number): number[] {
  const starts: number[] = [];
  const growth = 1 + 2 * relativeError;
  for (let ms = 0; ms <= lastMs; ms = Math.max(ms + 1, Math.floor(ms * growth))) starts.push(ms);
  return starts;
}

/** The middle of a bucket in whole milliseconds. */
export function latencyOf(bucket: number): number {
  const start = bucketStarts[bucket - 1] ?? 0;
  const next = bucketStarts[bucket] ?? start + 1;
  return Math.floor((start + next - 1) / 2);
}
