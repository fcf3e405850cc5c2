// Enforces rate limits by the allotments of the control plane, and says what this proxy needs ahead
// (docs/adr/0053-allotments.md). Times are monotonic milliseconds.

import type { PrincipalId } from '../lib/ids.ts';
import type { SnapshotLimits } from '../snapshot/schema.ts';
import { allowed, askNext, askNow, enter, hold, isLow, lacks, newAccount } from './account.ts';
import type { Account } from './account.ts';
import { wholeShare } from './allotment.ts';
import { Minutes } from './minutes.ts';
import type { Minute } from './minutes.ts';
import { dimensions, reportable } from './reconciliation.ts';
import type { Allotments, Dimension, LimitAsk } from './reconciliation.ts';
import type { Allowance, PerDimension, Verdict } from './verdict.ts';

type Entry = PerDimension<Account> & { askedAtMs: number };

/** An entry without allotments is dropped after this time without a request. */
const idleMs = 2 * 60_000;

type Options = Readonly<{
  /** The part of the limits, 0 to 1, that this proxy enforces in minutes without an answer. */
  outageShare: number;
  /** Called when an allotment runs out, possibly often. */
  onLow: () => void;
}>;

export class AllottedLimits {
  readonly used: Record<Dimension, number> = { requests: 0, tokens: 0 };
  /** Refused requests of limits of which more may be left. */
  refused = 0;
  readonly #minutes: Minutes;
  readonly #entries = new Map<PrincipalId, Entry>();
  readonly #onLow: () => void;
  #askedAtMs = -Infinity;
  #intervalMs = 0;

  constructor({ outageShare, onLow }: Options) {
    this.#minutes = new Minutes(Math.floor(outageShare * wholeShare));
    this.#onLow = onLow;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Null before the first answer of the control plane. */
  minuteAt(nowMs: number): Minute | null {
    return this.#minutes.at(nowMs);
  }

  /** Checks both limits before either is charged. A refused request counts as demand. */
  admit(
    principalId: PrincipalId,
    limits: SnapshotLimits,
    {
      minute,
      cost,
      nowMs,
    }: Readonly<{ minute: Minute; cost: PerDimension<number>; nowMs: number }>,
  ): Verdict {
    const entry = this.#entries.get(principalId) ?? this.#enter(principalId);
    entry.askedAtMs = nowMs;
    const lacking = judge(entry, limits, { minute, cost });
    const isAdmitted = lacking.requests === 0 && lacking.tokens === 0;
    let isAnyLow = false;
    for (const dimension of dimensions) {
      const account = entry[dimension];
      account.demand += cost[dimension];
      if (isAdmitted) account.used += cost[dimension];
      if (isAdmitted && account.limit !== null) this.used[dimension] += cost[dimension];
      else account.lacking = smallest(account.lacking, lacking[dimension]);
      isAnyLow ||= isLow(account, minute, this.#intervalMs);
    }
    if (isAnyLow) this.#onLow();
    const refusedBy = isAdmitted ? null : lacking.requests > 0 ? 'requests' : 'tokens';
    if (refusedBy !== null && !entry[refusedBy].isExhausted) this.refused++;
    return verdictOf(entry, { minute, refusedBy, nowMs });
  }

  /** Charges nothing and counts no demand. */
  wouldRefuse(
    principalId: PrincipalId,
    limits: SnapshotLimits,
    at: Readonly<{ minute: Minute; cost: PerDimension<number> }>,
  ): boolean {
    const lacking = judge(this.#entries.get(principalId) ?? newEntry(), limits, at);
    return lacking.requests > 0 || lacking.tokens > 0;
  }

  /**
   * Returns what this proxy needs until some time after its next report. From now on it keeps no more than
   * it says, and only the answer to the last asks may be applied.
   */
  takeAsks({
    nowMs,
    intervalMs,
    countMax,
  }: Readonly<{ nowMs: number; intervalMs: number; countMax: number }>): LimitAsk[] {
    const minute = this.#minutes.at(nowMs);
    const ahead = { nowMs, intervalMs, passedMs: nowMs - this.#askedAtMs };
    this.#askedAtMs = nowMs;
    this.#intervalMs = intervalMs;
    const asks: LimitAsk[] = [];
    if (minute === null) return asks;
    for (const [principalId, entry] of this.#entries) {
      for (const dimension of dimensions) {
        const account = entry[dimension];
        // An account without an ask keeps what it has. Each can have two.
        if (account.limit === null || asks.length + 2 > countMax) continue;
        enter(account, minute);
        const now = askNow(account, minute, ahead);
        const next = askNext(account, minute, ahead);
        const place = { principal_id: principalId, dimension };
        if (now !== null) asks.push(reportable({ ...place, ...now, minute: minute.number }));
        if (next !== null) asks.push(reportable({ ...place, ...next, minute: minute.number + 1 }));
      }
      const isIdle = nowMs - entry.askedAtMs >= idleMs;
      if (isIdle && !isBound(entry.requests) && !isBound(entry.tokens)) {
        this.#entries.delete(principalId);
      }
    }
    return asks;
  }

  /**
   * Returns what this proxy has used, after its last request. Null if there is nothing to give back, or no
   * room to say what was used.
   */
  takeUsed({ nowMs, countMax }: Readonly<{ nowMs: number; countMax: number }>): LimitAsk[] | null {
    const minute = this.#minutes.at(nowMs);
    if (minute === null) return null;
    const used: LimitAsk[] = [];
    for (const [principalId, entry] of this.#entries) {
      for (const dimension of dimensions) {
        const account = entry[dimension];
        if (account.limit === null) continue;
        enter(account, minute);
        const ask = { principal_id: principalId, dimension, wants: 0, unit: 1 };
        if (account.used > 0 || account.held !== null) {
          used.push(reportable({ ...ask, minute: minute.number, keeps: account.used }));
        }
        if (account.next !== null) used.push({ ...ask, minute: minute.number + 1, keeps: 0 });
      }
    }
    return used.length > countMax ? null : used;
  }

  /**
   * Applies the answer to the last asks, which were sent at `sentAtMs`. Returns true if others need
   * a limit of which this proxy has not said what it keeps.
   */
  apply(answer: Allotments, times: Readonly<{ sentAtMs: number; nowMs: number }>): boolean {
    this.#minutes.follow(answer, times);
    const minute = this.#minutes.at(times.nowMs);
    if (minute === null) return false;
    for (const { principal_id: id, dimension, minute: number, amount } of answer.limits) {
      const account = this.#entries.get(id)?.[dimension];
      if (account === undefined) continue;
      enter(account, minute);
      if (number === minute.number) hold(account, amount);
      else if (number === minute.number + 1) account.next = amount;
    }
    let isAskedFor = false;
    for (const { principal_id: id, dimension, minute: number } of answer.short) {
      const account = (this.#entries.get(id) ?? this.#enter(id))[dimension];
      account.limit ??= 0;
      enter(account, minute);
      account.shortIn = Math.max(account.shortIn, number);
      isAskedFor ||= number === minute.number && account.held === null;
    }
    return isAskedFor;
  }

  #enter(principalId: PrincipalId): Entry {
    const entry = newEntry();
    this.#entries.set(principalId, entry);
    return entry;
  }
}

const newEntry = (): Entry => ({
  requests: newAccount(),
  tokens: newAccount(),
  askedAtMs: -Infinity,
});

/** Returns the amount that each limit lacks for the cost. */
function judge(
  entry: Entry,
  { requests_per_min, tokens_per_min }: SnapshotLimits,
  { minute, cost }: Readonly<{ minute: Minute; cost: PerDimension<number> }>,
): PerDimension<number> {
  entry.requests.limit = requests_per_min;
  entry.tokens.limit = tokens_per_min;
  enter(entry.requests, minute);
  enter(entry.tokens, minute);
  return {
    requests: lacks(entry.requests, minute, cost.requests),
    tokens: lacks(entry.tokens, minute, cost.tokens),
  };
}

/** True while a new account could use more. */
const isBound = ({ used, held, next }: Account): boolean =>
  used > 0 || held !== null || next !== null;

/** Zero means none. */
const smallest = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

type Decided = Readonly<{ minute: Minute; refusedBy: Verdict['refusedBy']; nowMs: number }>;

function verdictOf(entry: Entry, { minute, refusedBy, nowMs }: Decided): Verdict {
  const untilEndSeconds = Math.max(1, Math.ceil((minute.endsAtMs - nowMs) / 1000));
  const isUnused = entry.requests.used === 0 && entry.tokens.used === 0;
  const isSpent = refusedBy !== null && entry[refusedBy].isExhausted;
  return {
    allowances: {
      requests: allowanceOf(entry.requests, minute),
      tokens: allowanceOf(entry.tokens, minute),
    },
    resetSeconds: isUnused ? 0 : untilEndSeconds,
    refusedBy,
    // More may be allotted with the next answer.
    retryAfterSeconds: refusedBy === null ? null : isSpent ? untilEndSeconds : 1,
  };
}

const allowanceOf = (account: Account, minute: Minute): Allowance | null =>
  account.limit === null
    ? null
    : {
        limit: account.limit,
        remaining: Math.max(0, Math.floor(allowed(account, minute) - account.used)),
      };
