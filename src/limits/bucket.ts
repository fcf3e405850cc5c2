// A token bucket: it starts full and is refilled evenly over a minute, and never by anything else. Its size is this replica's part of a
// limit; what a client is told is in terms of the whole limit. Time comes in as monotonic milliseconds.

/** `paidSize` is the largest size since the bucket began to owe: growth up to it has paid off its part of the debt. */
export type Bucket = { level: number; size: number; paidSize: number; atMs: number };

/** A bucket is refilled at the rate of its size a minute. */
const refillMs = 60_000;

/** Sums of fractions differ by at most this from the exact number. */
const tolerance = 1e-6;

export const fullBucket = (size: number, nowMs: number): Bucket => ({
  level: size,
  size,
  paidSize: size,
  atMs: nowMs,
});

/**
 * Brings the bucket to now and to this size. A smaller size cuts off what is above it. A larger one pays off what the bucket owes,
 * once for each debt, and gives nothing beyond that at once.
 */
export function settle(bucket: Bucket, size: number, nowMs: number): void {
  const grown = size - bucket.paidSize;
  if (grown > 0 && bucket.level < 0) {
    bucket.level = Math.min(0, bucket.level + grown);
    bucket.paidSize = size;
  }
  const gained = (size * Math.max(0, nowMs - bucket.atMs)) / refillMs;
  bucket.level = Math.min(size, bucket.level + gained);
  bucket.size = size;
  if (bucket.level >= 0) bucket.paidSize = size;
  bucket.atMs = nowMs;
}

export const isFull = ({ level, size }: Bucket): boolean => level >= size - tolerance;

/**
 * Whether a settled bucket admits this cost. A cost above the size of the bucket is admitted when the bucket is full, and
 * takes the level below zero.
 */
export const admits = ({ level, size }: Bucket, cost: number): boolean =>
  size > 0 && level >= Math.min(cost, size) - tolerance;

/**
 * Milliseconds in which the whole limit earns what a settled bucket lacks for this cost. With a smaller part of the limit it takes
 * longer here, but a refused request raises the part that this replica gets.
 */
export function waitMs({ level, size }: Bucket, limit: number, cost: number): number {
  if (limit <= 0) return refillMs;
  const needed = size > 0 ? Math.min(cost, size) : Math.min(cost, limit);
  return (Math.max(0, needed - level) * refillMs) / limit;
}

/** Whole, and never below zero. */
export const remainingOf = ({ level }: Bucket): number =>
  Math.max(0, Math.floor(level + tolerance));

/** Milliseconds in which the whole limit earns what is spent of it here or divided among other replicas. */
export const untilFullMs = ({ level }: Bucket, limit: number): number =>
  limit <= 0 || level >= limit - tolerance ? 0 : ((limit - level) * refillMs) / limit;
