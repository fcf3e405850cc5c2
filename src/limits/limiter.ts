// Enforces the rate limits of one replica (specification, "Rate limit", Gateway rule 13): by the
// allotments of its control plane, or by two token buckets per principal if it has none. Times are
// monotonic milliseconds.

import type { PrincipalId } from '../lib/ids.ts';
import type { SnapshotLimits } from '../snapshot/schema.ts';
import { admits, fullBucket, isFull, remainingOf, settle, untilFullMs, waitMs } from './bucket.ts';
import type { Bucket } from './bucket.ts';
import { AllottedLimits } from './allotted-limits.ts';
import type { Allowance, PerDimension, Verdict } from './verdict.ts';

export type Demand = Readonly<{ principalId: PrincipalId }> & PerDimension<number>;
export type Shares = Demand;

/** An idle entry is dropped once its buckets are full, because a new entry would be identical. */
const idleMs = 30 * 60_000;
const sweepMs = 5 * 60_000;

/** The bucket of this replica, and the whole limit. Null means unlimited. */
type Meter = { readonly bucket: Bucket; limit: number } | null;

type Entry = {
  shares: PerDimension<number>;
  sharesUntilMs: number;
  meters: { requests: Meter; tokens: Meter };
  demand: { requests: number; tokens: number };
  askedAtMs: number;
};

const fullShares: PerDimension<number> = { requests: 1, tokens: 1 };

type Options = Readonly<{
  /**
   * The part of the limits, 0 to 1, that this replica enforces while it has neither allotments nor
   * shares.
   */
  outageShare?: number;
}>;

export class Limiter {
  /** Used from the first answer of a control plane that allots limits. */
  readonly allotted: AllottedLimits;
  #onLow: () => void = () => {};
  readonly #outageShare: number;
  readonly #entries = new Map<PrincipalId, Entry>();
  /** Shares of principals that have sent requests only to other replicas. */
  #pendingShares: ReadonlyMap<PrincipalId, PerDimension<number>> = new Map();
  #pendingSharesUntilMs = -Infinity;
  #sweptAtMs = 0;

  constructor({ outageShare = 1 }: Options = {}) {
    this.#outageShare = outageShare;
    this.allotted = new AllottedLimits({ outageShare, onLow: () => this.#onLow() });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Calls the listener when allotments run out, possibly often. */
  onLow(listener: () => void): void {
    this.#onLow = listener;
  }

  /**
   * Checks both buckets before either is charged. A refused request is not charged, but counts as
   * demand.
   */
  admit(
    principalId: PrincipalId,
    limits: SnapshotLimits,
    { tokens, nowMs }: Readonly<{ tokens: number; nowMs: number }>,
  ): Verdict {
    const minute = this.allotted.minuteAt(nowMs);
    if (minute !== null) {
      return this.allotted.admit(principalId, limits, { minute, cost: costOf(tokens), nowMs });
    }
    if (nowMs - this.#sweptAtMs >= sweepMs) this.#sweep(nowMs);
    const entry = this.#entries.get(principalId) ?? this.#enter(principalId);
    const cost = costOf(tokens);
    entry.askedAtMs = nowMs;
    entry.demand.requests += cost.requests;
    entry.demand.tokens += cost.tokens;
    const { meters } = entry;
    const { requestsMs, tokensMs } = this.#judge(entry, limits, { cost, nowMs });
    const isAdmitted = requestsMs === null && tokensMs === null;
    if (isAdmitted) {
      charge(meters.requests, cost.requests);
      charge(meters.tokens, cost.tokens);
    }
    return {
      allowances: {
        requests: allowanceOf(meters.requests, limits.requests_per_min),
        tokens: allowanceOf(meters.tokens, limits.tokens_per_min),
      },
      resetSeconds: wholeSeconds(
        Math.max(untilRefilledMs(meters.requests), untilRefilledMs(meters.tokens)),
      ),
      refusedBy: isAdmitted ? null : requestsMs === null ? 'tokens' : 'requests',
      retryAfterSeconds: isAdmitted
        ? null
        : Math.max(1, wholeSeconds(Math.max(requestsMs ?? 0, tokensMs ?? 0))),
    };
  }

  /** Charges nothing and counts no demand. */
  wouldRefuse(
    principalId: PrincipalId,
    limits: SnapshotLimits,
    { tokens, nowMs }: Readonly<{ tokens: number; nowMs: number }>,
  ): boolean {
    const cost = costOf(tokens);
    const minute = this.allotted.minuteAt(nowMs);
    if (minute !== null) return this.allotted.wouldRefuse(principalId, limits, { minute, cost });
    const entry = this.#entries.get(principalId) ?? this.#newEntry(principalId);
    const { requestsMs, tokensMs } = this.#judge(entry, limits, { cost, nowMs });
    return requestsMs !== null || tokensMs !== null;
  }

  /** Also resets the demand. */
  takeDemand(countMax: number): Demand[] {
    const demand: Demand[] = [];
    for (const [principalId, entry] of this.#entries) {
      if (demand.length < countMax) demand.push({ principalId, ...entry.demand });
      entry.demand = { requests: 0, tokens: 0 };
    }
    return demand;
  }

  /**
   * Scales the limits of these principals by their shares (0 to 1) until `untilMs`, also if they
   * arrive here later. Principals without a share get the whole limit.
   */
  setShares(shares: readonly Shares[], { untilMs }: Readonly<{ untilMs: number }>): void {
    const pending = new Map<PrincipalId, PerDimension<number>>();
    for (const { principalId, requests, tokens } of shares) {
      const entry = this.#entries.get(principalId);
      if (entry === undefined) {
        pending.set(principalId, { requests, tokens });
        continue;
      }
      entry.shares = { requests, tokens };
      entry.sharesUntilMs = untilMs;
    }
    this.#pendingShares = pending;
    this.#pendingSharesUntilMs = untilMs;
  }

  #enter(principalId: PrincipalId): Entry {
    const entry = this.#newEntry(principalId);
    this.#entries.set(principalId, entry);
    return entry;
  }

  #newEntry(principalId: PrincipalId): Entry {
    return {
      meters: { requests: null, tokens: null },
      shares: this.#pendingShares.get(principalId) ?? fullShares,
      sharesUntilMs: this.#pendingSharesUntilMs,
      demand: { requests: 0, tokens: 0 },
      askedAtMs: 0,
    };
  }

  /** Returns how long the cost must wait in each dimension; null when it need not wait. */
  #judge(
    entry: Entry,
    limits: SnapshotLimits,
    { cost, nowMs }: Readonly<{ cost: PerDimension<number>; nowMs: number }>,
  ) {
    const { meters, shares, sharesUntilMs } = entry;
    const part = (dimension: 'requests' | 'tokens'): number =>
      nowMs < sharesUntilMs ? shares[dimension] : this.#outageShare;
    meters.requests = meterAt(meters.requests, limits.requests_per_min, part('requests'), nowMs);
    meters.tokens = meterAt(meters.tokens, limits.tokens_per_min, part('tokens'), nowMs);
    return {
      requestsMs: refusedForMs(meters.requests, cost.requests),
      tokensMs: refusedForMs(meters.tokens, cost.tokens),
    };
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [principalId, { askedAtMs, meters }] of this.#entries) {
      const isIdle = nowMs - askedAtMs >= idleMs;
      if (isIdle && isRefilled(meters.requests, nowMs) && isRefilled(meters.tokens, nowMs)) {
        this.#entries.delete(principalId);
      }
    }
  }
}

const costOf = (tokens: number): PerDimension<number> => ({
  requests: 1,
  tokens: Math.max(1, tokens),
});

/** A new meter is full. */
function meterAt(meter: Meter, limit: number | null, share: number, nowMs: number): Meter {
  if (limit === null) return null;
  const size = limit * share;
  if (meter === null) return { bucket: fullBucket(size, nowMs), limit };
  meter.limit = limit;
  settle(meter.bucket, size, nowMs);
  return meter;
}

/** Null when the cost is admitted. */
function refusedForMs(meter: Meter, cost: number): number | null {
  if (meter === null || admits(meter.bucket, cost)) return null;
  return waitMs(meter.bucket, meter.limit, cost);
}

function charge(meter: Meter, cost: number): void {
  if (meter !== null) meter.bucket.level -= cost;
}

const allowanceOf = (meter: Meter, limit: number | null): Allowance | null =>
  meter === null || limit === null ? null : { limit, remaining: remainingOf(meter.bucket) };

const untilRefilledMs = (meter: Meter): number =>
  meter === null ? 0 : untilFullMs(meter.bucket, meter.limit);

function isRefilled(meter: Meter, nowMs: number): boolean {
  if (meter === null) return true;
  settle(meter.bucket, meter.bucket.size, nowMs);
  return isFull(meter.bucket);
}

/** Ignores the rounding error of the sums. */
const wholeSeconds = (ms: number): number => (ms <= 0 ? 0 : Math.ceil(ms / 1000 - 1e-6));
