// How often a login may fail: a token bucket a name and one an address. A right password gives its token back, so only
// failures are counted. There is no lock-out that a stranger could turn against an administrator: a bucket refills by itself.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type LoginLimit = Readonly<{
  /** Takes one attempt. Null is leave to try. */
  admit: (attempt: LoginAttempt, nowMs: number) => Refusal | null;
  /** The attempt was a right password, or was never checked. */
  giveBack: (attempt: LoginAttempt) => void;
}>;

type LoginAttempt = Readonly<{ name: string; address: string }>;

export const failuresPerMinute = { name: 5, address: 20 };
const refillMs = 60_000;

/** Bound of each table; at it the bucket that was touched longest ago is forgotten. */
const bucketsMax = 10_000;

export function createLoginLimit(): LoginLimit {
  const names = createBuckets(failuresPerMinute.name);
  const addresses = createBuckets(failuresPerMinute.address);
  return {
    admit: ({ name, address }, nowMs) => {
      const waitMs = Math.max(names.waitMs(name, nowMs), addresses.waitMs(address, nowMs));
      if (waitMs > 0) {
        const retryAfterSeconds = Math.ceil(waitMs / 1000);
        return refuse('too_many', 'too many failed logins', { retryAfterSeconds });
      }
      names.take(name, nowMs);
      addresses.take(address, nowMs);
      return null;
    },
    giveBack: ({ name, address }) => {
      names.giveBack(name);
      addresses.giveBack(address);
    },
  };
}

type Bucket = { tokens: number; atMs: number };

function createBuckets(capacity: number) {
  const buckets = new Map<string, Bucket>();
  const msPerToken = refillMs / capacity;

  const level = (key: string, nowMs: number): number => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return capacity;
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    return Math.min(capacity, bucket.tokens + elapsedMs / msPerToken);
  };

  return {
    waitMs: (key: string, nowMs: number): number =>
      Math.max(0, (1 - level(key, nowMs)) * msPerToken),
    take: (key: string, nowMs: number): void => {
      const tokens = level(key, nowMs) - 1;
      buckets.delete(key);
      buckets.set(key, { tokens, atMs: nowMs });
      const oldest = buckets.size > bucketsMax ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
    },
    giveBack: (key: string): void => {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(capacity, bucket.tokens + 1);
    },
  };
}
