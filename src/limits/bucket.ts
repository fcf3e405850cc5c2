// A token bucket: full at the start, refilled evenly over a minute, and never by anything else. Time comes in as monotonic
// milliseconds.

export type Bucket = { level: number; atMs: number };

/** A bucket's size is what may be spent in a minute; it is refilled at the rate of one size a minute. */
const refillMs = 60_000;

/** Sums of fractions are this far from the number that they stand for, at most. */
const tolerance = 1e-6;

export const fullBucket = (size: number, nowMs: number): Bucket => ({ level: size, atMs: nowMs });

/** Brings the level to now. A size that shrank cuts what is above it; one that grew gives nothing at once. */
export function settle(bucket: Bucket, size: number, nowMs: number): void {
  const gained = (size * Math.max(0, nowMs - bucket.atMs)) / refillMs;
  bucket.level = Math.min(size, bucket.level + gained);
  bucket.atMs = nowMs;
}

export const isFull = (bucket: Bucket, size: number): boolean => bucket.level >= size - tolerance;

/**
 * Whether a settled bucket admits this cost. One that is dearer than the whole bucket is admitted when the bucket is full, and
 * takes it below zero.
 */
export const admits = (bucket: Bucket, size: number, cost: number): boolean =>
  size > 0 && bucket.level >= Math.min(cost, size) - tolerance;

/** Milliseconds until a settled bucket admits this cost, unless something else is admitted before. */
export function waitMs(bucket: Bucket, size: number, cost: number): number {
  if (size <= 0) return refillMs;
  return (Math.max(0, Math.min(cost, size) - bucket.level) * refillMs) / size;
}

/** Whole, and never below zero. */
export const remainingOf = (bucket: Bucket): number =>
  Math.max(0, Math.floor(bucket.level + tolerance));

/** Milliseconds until a settled bucket is full. */
export const untilFullMs = (bucket: Bucket, size: number): number =>
  isFull(bucket, size) ? 0 : waitMs(bucket, size, size);
