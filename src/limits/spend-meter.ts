// Measures what this process may still spend of one cap of a budget, by its allotment, or by a part
// of what is left while it has none. Times are monotonic milliseconds.

import { partOf } from './budget-allotment.ts';
import type { BudgetAsk } from './budget-allotment.ts';

/** The spending of one cap, as this process knows it. */
export type Used = Readonly<{
  cap: number;
  /** Counted by the control plane. */
  known: number;
  /** Not counted yet, with an estimate of requests in flight. */
  outstanding: number;
  /** Counted, of this process, since its start. */
  settled: number;
}>;

export type SpendMeter = {
  /** `settled` and `outstanding` together may reach this. Null without an allotment. */
  ceiling: number | null;
  /** `settled` when it asked. */
  base: number;
  /** Changes with temporary increases. */
  cap: number;
  /** The estimated cost of all requests since the last ask, including refused ones. */
  demand: number;
  askedAtMs: number;
  /** The average demand per millisecond. */
  perMs: number;
  /** The smallest amount that a refused request lacked since the last ask; 0 for none. */
  lacking: number;
  wanted: number;
  /** True if it got nothing. */
  isExhausted: boolean;
  /** It asks again when it has less left. */
  lowAt: number;
  /** Until then it keeps only what it needs, because other proxies need more than is left. */
  shortUntilMs: number;
};

export const newSpendMeter = (nowMs: number): SpendMeter => ({
  ceiling: null,
  base: 0,
  cap: -1,
  demand: 0,
  askedAtMs: nowMs,
  perMs: 0,
  lacking: 0,
  wanted: 0,
  isExhausted: false,
  lowAt: 0,
  shortUntilMs: -Infinity,
});

/** Forgets an allotment that was given for another cap. */
export function follow(meter: SpendMeter, { cap }: Used): void {
  if (meter.cap === cap) return;
  if (meter.cap !== -1) meter.ceiling = null;
  meter.cap = cap;
}

/** Negative after requests that cost more than their estimates. */
const spareOf = (ceiling: number, { settled, outstanding }: Used): number =>
  ceiling - settled - outstanding;

/**
 * Zero if the cost is covered, otherwise what it lacks. Without an allotment, `share` of what is
 * left may be spent, and always one request.
 */
export function lacksSpend(
  ceiling: number | null,
  used: Used,
  { cost, share }: Readonly<{ cost: number; share: number }>,
): number {
  if (ceiling !== null) return Math.max(0, Math.max(1, cost) - spareOf(ceiling, used));
  const { cap, known, outstanding } = used;
  if (outstanding <= 0 && share > 0) return 0;
  return Math.max(0, outstanding + Math.max(1, cost) - partOf(cap - known, share));
}

type Ahead = Readonly<{
  nowMs: number;
  intervalMs: number;
  isValid: boolean;
  replicas: number;
  /** The part of what is left that may be spent without an allotment. */
  share: number;
}>;

/** From now on this process spends no more than it says. */
export function askSpend(meter: SpendMeter, used: Used, ahead: Ahead): BudgetAsk {
  const { nowMs, intervalMs, isValid, replicas, share } = ahead;
  const passedMs = Math.max(1, nowMs - meter.askedAtMs);
  meter.perMs += (meter.demand / passedMs - meter.perMs) * Math.min(1, passedMs / intervalMs);
  const recent = Math.min(meter.demand, (meter.demand / passedMs) * 2 * intervalMs);
  const forecast = Math.ceil(Math.max(recent, meter.perMs * 2 * intervalMs));
  // The control plane reserves the start of a proxy that has no allotment yet.
  const start = (): number => partOf(used.cap - used.known, share) - used.outstanding;
  const hasStart = meter.ceiling === null && meter.cap !== -1;
  const spareNow = meter.ceiling === null ? 0 : spareOf(meter.ceiling, used);
  const held = isValid ? Math.max(0, hasStart ? start() : spareNow) : 0;
  const isShort = nowMs < meter.shortUntilMs;
  // A proxy that came since then needs a part.
  const most = isShort ? forecast : Math.ceil((used.cap - used.known) / Math.max(1, replicas));
  const spare = Math.floor(Math.min(held, Math.max(0, most)));
  const outstanding = Math.max(0, Math.ceil(used.outstanding));
  const lacking = Math.ceil(meter.lacking);
  meter.base = used.settled;
  meter.ceiling = used.settled + outstanding + spare;
  meter.wanted = Math.max(lacking, forecast - spare, 0);
  meter.askedAtMs = nowMs;
  meter.demand = 0;
  meter.lacking = 0;
  return { keeps: outstanding + spare, spare, wants: meter.wanted, unit: Math.max(1, lacking) };
}

/** Applies the amount that the control plane allotted for the last ask. */
export function holdSpend(meter: SpendMeter, used: Used, amount: number): void {
  const ceiling = meter.base + amount;
  meter.isExhausted = meter.wanted > 0 && ceiling <= (meter.ceiling ?? 0);
  meter.ceiling = ceiling;
  meter.lowAt = Math.max(0, spareOf(ceiling, used)) / 2;
}

/** Decides when this process should ask: with its next regular report, or now. */
export function needOfSpend(
  { ceiling, lacking, lowAt, isExhausted }: SpendMeter,
  used: Used,
): 'none' | 'regular' | 'now' {
  const spare = ceiling === null ? -Infinity : spareOf(ceiling, used);
  if (lacking === 0 && spare >= lowAt) return 'none';
  return !isExhausted && (lacking > 0 || spare < lowAt / 2) ? 'now' : 'regular';
}
