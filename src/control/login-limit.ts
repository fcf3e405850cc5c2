// How often a login may fail: a token bucket for a name from one address, one for the address, and one for the name from wherever. A right
// password gives its tokens back, so only failures are counted. Nobody is shut out by what strangers do elsewhere: when a name fails
// from everywhere its logins wait for their turn, one behind the other, and are refused only when more wait than may.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type LoginLimit = Readonly<{
  /** Takes one attempt. Milliseconds that it is to wait before the password is looked at; mostly none. */
  admit: (attempt: LoginAttempt, nowMs: number) => number | Refusal;
  /** The attempt was a right password, or was never checked. */
  giveBack: (attempt: LoginAttempt) => void;
}>;

type LoginAttempt = Readonly<{ name: string; address: string }>;

export const failuresPerMinute = { nameAtAddress: 5, address: 20, name: 60 };
const refillMs = 60_000;

/** As long as one may wait for its turn: then that many, a second apart, wait for one name. */
export const turnMsMax = 5_000;

/** Bound of each table; at it the bucket that was touched longest ago is forgotten. */
const bucketsMax = 10_000;

export function createLoginLimit(): LoginLimit {
  const limits = [
    {
      keyOf: ({ name, address }: LoginAttempt) => JSON.stringify([name, address]),
      buckets: createBuckets(failuresPerMinute.nameAtAddress),
      waitMsMax: 0,
    },
    {
      keyOf: ({ address }: LoginAttempt) => address,
      buckets: createBuckets(failuresPerMinute.address),
      waitMsMax: 0,
    },
    {
      keyOf: ({ name }: LoginAttempt) => name,
      buckets: createBuckets(failuresPerMinute.name),
      waitMsMax: turnMsMax,
    },
  ] as const;
  return {
    admit: (attempt, nowMs) => {
      const waits = limits.map(({ keyOf, buckets, waitMsMax }) => {
        const waitMs = buckets.waitMs(keyOf(attempt), nowMs);
        return { waitMs, overMs: waitMs - waitMsMax };
      });
      const overMs = Math.max(...waits.map(({ overMs }) => overMs));
      if (overMs > 0) return tooMany(overMs);
      for (const { keyOf, buckets } of limits) buckets.take(keyOf(attempt), nowMs);
      return Math.max(...waits.map(({ waitMs }) => waitMs));
    },
    giveBack: (attempt) => {
      for (const { keyOf, buckets } of limits) buckets.giveBack(keyOf(attempt));
    },
  };
}

const tooMany = (waitMs: number): Refusal =>
  refuse('too_many', 'too many failed logins', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

type Bucket = { tokens: number; atMs: number };

/** A bucket may be taken below none: whoever does so waits until it would have been full enough. */
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
