// Limits failed logins with token buckets: one per name and network, one per network, and two per
// name over all networks. A correct password returns its tokens, so only failures count. No name is
// ever locked (OWASP ASVS 5.0, 6.1.1). Networks that have failed with a name share one small bucket
// for it, and all others share a far larger one, so that an attacker with many networks does not
// lock out the owner. An attempt waits for a token, and is refused only if the wait would be too
// long.

import { hash } from 'node:crypto';

import { networkOf, siteOf } from '../../ingress/network.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export type LoginLimit = Readonly<{
  /** Returns the milliseconds to wait before checking the password, usually 0. */
  admit: (attempt: LoginAttempt, nowMs: number) => number | Refusal;
  /** Called if the password was correct or was never checked. */
  giveBack: (attempt: LoginAttempt) => void;
}>;

export type LoginAttempt = Readonly<{ name: string; address: string }>;

/** `nameAtFirst` is the limit of a name for all networks that are not known to fail with it. */
export const failuresPerMinute = { nameAtAddress: 5, address: 20, name: 60, nameAtFirst: 300 };
const minuteMs = 60_000;

/**
 * After this many failures in an hour, a network is known to fail with a name. People mistype once
 * or twice.
 */
export const failuresPerHour = 3;
const hourMs = 3_600_000;

/**
 * The longest wait for a token. Each name gets one token per second, so this also bounds the
 * attempts that wait for it.
 */
export const turnMsMax = 5_000;

/** A full table drops the least recently used bucket. */
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
      // A network that knows the password is no longer known to fail with the name.
      lanes.first.buckets.giveBack(ofName(attempt));
    },
  };
}

const ofName = ({ name }: LoginAttempt): string => keyOf(name);

/** Hashed to a fixed length, because an unauthenticated client chooses the name. */
const keyOf = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64');

const tooMany = (waitMs: number): Refusal =>
  refuse('too_many', 'too many failed logins', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

type Bucket = { tokens: number; atMs: number };

/** A bucket may go below zero. The attempt then waits until its token would have been refilled. */
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
