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

export type Percentiles = Readonly<Record<'p50' | 'p95' | 'p99', number | null>>;

/** The percentiles of requests that are counted by bucket, in any order. The lists are equally long. */
export function percentilesIn(buckets: readonly number[], counts: readonly number[]): Percentiles {
  const byBucket = new Float64Array(bucketStarts.length + 1);
  let total = 0;
  for (const [index, bucket] of buckets.entries()) {
    const count = counts[index] ?? 0;
    byBucket[bucket] = (byBucket[bucket] ?? 0) + count;
    total += count;
  }
  const at = (share: number): number | null => {
    let upto = 0;
    const found = byBucket.findIndex((count) => {
      upto += count;
      return count > 0 && upto >= share * total;
    });
    return found < 0 ? null : latencyOf(found);
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
