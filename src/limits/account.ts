// Counts the use of one limit by this proxy in the current minute against its allotment, or against
// its start while it has none. Times are monotonic milliseconds.

import { startAmount } from './allotment.ts';
import type { Ask } from './allotment.ts';
import type { Minute } from './minutes.ts';

export type Account = {
  /** Null for no limit. Zero for a limit of which this proxy only knows that others need it. */
  limit: number | null;
  /** Null before its first use. */
  minute: number | null;
  used: number;
  /** The allotments of this minute and the next one. Null for none. */
  held: number | null;
  next: number | null;
  /** The cost of all requests since the last ask, including refused ones. */
  demand: number;
  /** The average demand per millisecond. */
  perMs: number;
  /** The smallest amount that a refused request lacked since the last ask; 0 for none. */
  lacking: number;
  /** The amount that the last ask wanted. */
  wanted: number;
  /** True if it got nothing. */
  isExhausted: boolean;
  /** The last minute in which some proxy needed more than was left. */
  shortIn: number;
};

export const newAccount = (): Account => ({
  limit: null,
  minute: null,
  used: 0,
  held: null,
  next: null,
  demand: 0,
  perMs: 0,
  lacking: 0,
  wanted: 0,
  isExhausted: false,
  shortIn: -1,
});

/**
 * Advances the account to this minute. Use beyond the limit counts in the following minutes. If the
 * clock of the database went back, use counts until the time is over again.
 */
export function enter(account: Account, { number }: Minute): void {
  if (account.minute === number) return;
  const passed = Math.max(0, number - (account.minute ?? number));
  account.used = Math.max(0, account.used - passed * (account.limit ?? 0));
  account.held = passed === 1 ? account.next : null;
  account.next = null;
  account.minute = number;
  account.lacking = 0;
  account.wanted = 0;
  account.isExhausted = false;
}

/** The amount that this proxy may use in the minute. */
export const allowed = ({ held, limit }: Account, { share }: Minute): number =>
  held ?? startAmount(limit ?? 0, share);

/**
 * Zero if the account covers the cost, otherwise what it lacks. A request that costs more than the
 * limit needs all of it unused.
 */
export function lacks(account: Account, minute: Minute, cost: number): number {
  const { limit, used } = account;
  if (limit === null) return 0;
  if (limit === 0 || (cost > limit && used > 0)) return Math.max(1, limit);
  return Math.max(0, Math.min(cost, limit) - (allowed(account, minute) - used));
}

type Ahead = Readonly<{ nowMs: number; passedMs: number; intervalMs: number }>;

/**
 * Decides what to ask for in this minute. Null if the start suffices. From now on the account keeps no more
 * than it says.
 */
export function askNow(account: Account, minute: Minute, ahead: Ahead): Ask | null {
  estimate(account, ahead);
  const horizonMs = Math.min(2 * ahead.intervalMs, Math.max(0, minute.endsAtMs - ahead.nowMs));
  const forecast = Math.max(account.demand, Math.ceil(account.perMs * horizonMs));
  const have = Math.max(account.used, allowed(account, minute));
  const { lacking, used } = account;
  account.demand = 0;
  account.lacking = 0;
  const isNeeded = account.held !== null || lacking > 0 || used + forecast > have;
  if (!isNeeded && account.shortIn < minute.number) return null;
  const isContested = account.shortIn >= minute.number - 1;
  const keeps = isContested ? Math.min(have, used + forecast) : have;
  account.held = keeps;
  account.wanted = Math.max(lacking, used + forecast - keeps);
  return { keeps, wants: account.wanted, unit: Math.max(1, lacking) };
}

/** The same for the next minute, once its share is known. */
export function askNext(account: Account, minute: Minute, { intervalMs }: Ahead): Ask | null {
  if (minute.nextShare === null) return null;
  const forecast = Math.min(account.limit ?? 0, Math.ceil(account.perMs * 2 * intervalMs));
  const have = account.next ?? startAmount(account.limit ?? 0, minute.nextShare);
  const isContested = account.shortIn >= minute.number;
  if (account.next === null && !isContested && forecast <= have) return null;
  const keeps = isContested ? Math.min(have, forecast) : have;
  account.next = keeps;
  return { keeps, wants: Math.max(0, forecast - keeps), unit: 1 };
}

/** Applies the amount that the control plane allotted in this minute. */
export function hold(account: Account, amount: number): void {
  account.isExhausted = account.wanted > 0 && amount <= (account.held ?? 0);
  account.held = amount;
}

/** True if this proxy should ask before its next regular report. */
export function isLow(account: Account, minute: Minute, intervalMs: number): boolean {
  if (account.limit === null || account.isExhausted) return false;
  const left = allowed(account, minute) - account.used;
  return account.lacking > 0 || left < Math.max(account.demand, account.perMs * intervalMs);
}

/** Averages over about an interval. */
function estimate(account: Account, { passedMs, intervalMs }: Ahead): void {
  const weight = Math.min(1, passedMs / intervalMs);
  const perMs = account.demand / Math.max(1, passedMs);
  account.perMs += (perMs - account.perMs) * weight;
  // Otherwise a limit that is not used any more would be wanted for ever.
  if (account.perMs * intervalMs < 0.05) account.perMs = 0;
}
