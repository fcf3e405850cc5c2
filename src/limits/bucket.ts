// A token bucket. It starts full and refills evenly over one minute. Its size is this replica's share of a limit, but
// clients see values for the whole limit. Times are monotonic milliseconds.

/** `paidSize` is the largest size since the level became negative. Growth up to it has already reduced the debt. */
export type Bucket = { level: number; size: number; paidSize: number; atMs: number };

/** A bucket refills by its size in this time. */
const refillMs = 60_000;

/** Rounding errors in sums of fractions stay below this. */
const tolerance = 1e-6;

export const fullBucket = (size: number, nowMs: number): Bucket => ({
  level: size,
  size,
  paidSize: size,
  atMs: nowMs,
});

/**
 * Advances the bucket to `nowMs` and sets its size. A smaller size discards the excess. A larger size reduces a
 * negative level, once for each debt, and does not add tokens beyond that.
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
 * For a settled bucket. A cost above the size is admitted when the bucket is full, and makes the
 * level negative.
 */
export const admits = ({ level, size }: Bucket, cost: number): boolean =>
  size > 0 && level >= Math.min(cost, size) - tolerance;

/**
 * Milliseconds until the whole limit has earned what a settled bucket lacks for this cost. A smaller share takes
 * longer, but a refused request increases the share of this replica.
 */
export function waitMs({ level, size }: Bucket, limit: number, cost: number): number {
  if (limit <= 0) return refillMs;
  const needed = size > 0 ? Math.min(cost, size) : Math.min(cost, limit);
  return (Math.max(0, needed - level) * refillMs) / limit;
}

/** A whole number, at least 0. */
export const remainingOf = ({ level }: Bucket): number =>
  Math.max(0, Math.floor(level + tolerance));

/** Milliseconds until the whole limit has earned back what was spent here or assigned to other replicas. */
export const untilFullMs = ({ level }: Bucket, limit: number): number =>
  limit <= 0 || level >= limit - tolerance ? 0 : ((limit - level) * refillMs) / limit;
