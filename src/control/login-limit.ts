// How often a login may fail: a token bucket for a name from one address, one for the address, and one for the name from wherever. A right
// password gives its tokens back, so only failures are counted. Nobody is shut out by what strangers do elsewhere: when a name fails
// from everywhere its logins wait for their turn, one behind the other, and are refused only when more wait than may.

import { hash } from 'node:crypto';

import ipaddr from 'ipaddr.js';

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

/** Bound of each table, whose keys have one length; at it the bucket that was touched longest ago is forgotten. */
const bucketsMax = 10_000;

export function createLoginLimit(): LoginLimit {
  const limits = [
    {
      key: ({ name, address }: LoginAttempt) => keyOf(name, networkOf(address)),
      buckets: createBuckets(failuresPerMinute.nameAtAddress),
      waitMsMax: 0,
    },
    {
      key: ({ address }: LoginAttempt) => keyOf(networkOf(address)),
      buckets: createBuckets(failuresPerMinute.address),
      waitMsMax: 0,
    },
    {
      key: ({ name }: LoginAttempt) => keyOf(name),
      buckets: createBuckets(failuresPerMinute.name),
      waitMsMax: turnMsMax,
    },
  ] as const;
  return {
    admit: (attempt, nowMs) => {
      const waits = limits.map(({ key, buckets, waitMsMax }) => {
        const waitMs = buckets.waitMs(key(attempt), nowMs);
        return { waitMs, overMs: waitMs - waitMsMax };
      });
      const overMs = Math.max(...waits.map(({ overMs }) => overMs));
      if (overMs > 0) return tooMany(overMs);
      for (const { key, buckets } of limits) buckets.take(key(attempt), nowMs);
      return Math.max(...waits.map(({ waitMs }) => waitMs));
    },
    giveBack: (attempt) => {
      for (const { key, buckets } of limits) buckets.giveBack(key(attempt));
    },
  };
}

/** Of one length, whatever a stranger sends as a name. */
const keyOf = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64');

/** Whoever has one IPv6 address has the 64 bits behind its network too (RFC 4291, section 2.5.4). */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  return read instanceof ipaddr.IPv6 ? read.parts.slice(0, 4).join(':') : read.toString();
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
