// How often a login may fail: a token bucket for a name from one network, one for the network, and two for the name from wherever. A right
// password gives its tokens back, so only failures are counted. No name is locked (OWASP ASVS 5.0, 6.1.1): networks that have failed with
// it share one bucket, and all others have a far larger one, so that whoever tries passwords from many networks is in nobody's way but
// their own. What a bucket of a name does not hold waits for its turn, one behind the other, and is refused only when more wait than may.

import { hash } from 'node:crypto';

import { networkOf, siteOf } from '../ingress/network.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type LoginLimit = Readonly<{
  /** Takes one attempt. Milliseconds that it is to wait before the password is looked at; mostly none. */
  admit: (attempt: LoginAttempt, nowMs: number) => number | Refusal;
  /** The attempt was a right password, or was never checked. */
  giveBack: (attempt: LoginAttempt) => void;
}>;

export type LoginAttempt = Readonly<{ name: string; address: string }>;

/** `nameAtFirst` is from all networks that are not known to fail with that name. */
export const failuresPerMinute = { nameAtAddress: 5, address: 20, name: 60, nameAtFirst: 300 };
const minuteMs = 60_000;

/** With so many failures an hour a network is known to fail with a name: a person mistypes once or twice. */
export const failuresPerHour = 3;
const hourMs = 3_600_000;

/** As long as one may wait for its turn: then that many, a second apart, wait for one name. */
export const turnMsMax = 5_000;

/** Bound of each table, whose keys have one length; at it the bucket that was touched longest ago is forgotten. */
const bucketsMax = 10_000;

export function createLoginLimit(): LoginLimit {
  const limits = [
    {
      key: ({ name, address }: LoginAttempt) => keyOf(name, networkOf(address)),
      buckets: createBuckets(failuresPerMinute.nameAtAddress, minuteMs),
      waitMsMax: 0,
    },
    {
      key: ({ address }: LoginAttempt) => keyOf(networkOf(address)),
      buckets: createBuckets(failuresPerMinute.address, minuteMs),
      waitMsMax: 0,
    },
  ] as const;
  const known = {
    key: ({ name, address }: LoginAttempt) => keyOf(name, siteOf(address)),
    buckets: createBuckets(failuresPerHour, hourMs),
  };
  const lane = (perMinute: number) => ({
    key: ofName,
    buckets: createBuckets(perMinute, minuteMs),
    waitMsMax: turnMsMax,
  });
  const lanes = {
    known: lane(failuresPerMinute.name),
    first: lane(failuresPerMinute.nameAtFirst),
  };
  return {
    admit: (attempt, nowMs) => {
      const isKnown = known.buckets.waitMs(known.key(attempt), nowMs) > 0;
      const asked = [...limits, isKnown ? lanes.known : lanes.first];
      const waits = asked.map(({ key, buckets, waitMsMax }) => {
        const waitMs = buckets.waitMs(key(attempt), nowMs);
        return { waitMs, overMs: waitMs - waitMsMax };
      });
      const overMs = Math.max(...waits.map(({ overMs }) => overMs));
      if (overMs > 0) return tooMany(overMs);
      for (const { key, buckets } of asked) buckets.take(key(attempt), nowMs);
      if (!isKnown) known.buckets.take(known.key(attempt), nowMs);
      return Math.max(...waits.map(({ waitMs }) => waitMs));
    },
    giveBack: (attempt) => {
      for (const { key, buckets } of [...limits, known]) buckets.giveBack(key(attempt));
      // With that one back the network is as it was when it was admitted; who knows the password is known to fail no more.
      lanes.first.buckets.giveBack(ofName(attempt));
    },
  };
}

const ofName = ({ name }: LoginAttempt): string => keyOf(name);

/** Of one length, whatever a stranger sends as a name. */
const keyOf = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64');

const tooMany = (waitMs: number): Refusal =>
  refuse('too_many', 'too many failed logins', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

type Bucket = { tokens: number; atMs: number };

/** A bucket may be taken below none: whoever does so waits until it would have been full enough. */
function createBuckets(capacity: number, refillMs: number) {
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
