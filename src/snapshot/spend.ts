// Computes the used share of a budget: as a percentage for rules, and as an exhausted cap
// (specification, "Condition fields", Gateway rule 12).

import type { BudgetUse, SnapshotBudget } from './schema.ts';

export type Caps = Pick<SnapshotBudget, 'tokens_total' | 'cost_total_micros'>;
export type Spent = Pick<BudgetUse, 'tokens_used' | 'cost_used_micros'>;

export const nothingSpent: Spent = { tokens_used: 0, cost_used_micros: 0 };

/** An amount that adds to the caps from `startMs` until `endMs`, in epoch milliseconds. */
export type CapIncrease = Readonly<{
  tokens: number | null;
  micros: number | null;
  startMs: number;
  endMs: number;
}>;

/** The caps at a time, with the increases in force. A missing cap stays missing. */
export function capsAt(caps: Caps, increases: readonly CapIncrease[], nowMs: number): Caps {
  if (increases.length === 0) return caps;
  let { tokens_total: tokens, cost_total_micros: micros } = caps;
  for (const increase of increases) {
    if (nowMs < increase.startMs || nowMs >= increase.endMs) continue;
    if (tokens !== null) tokens += increase.tokens ?? 0;
    if (micros !== null) micros += increase.micros ?? 0;
  }
  return { tokens_total: tokens, cost_total_micros: micros };
}

const percentMax = 255;

/** The percentage of the cap closest to its limit, at most 255. -1 without a cap. */
export const percentSpent = (caps: Caps, spent: Spent): number =>
  Math.max(
    percentOf(spent.tokens_used, caps.tokens_total),
    percentOf(spent.cost_used_micros, caps.cost_total_micros),
  );

/** Rounded down, and at most 255. -1 without a cap. */
export function percentOf(used: number, total: number | null): number {
  if (total === null) return -1;
  if (used >= total * (percentMax / 100)) return percentMax;
  const hundredfold = used * 100;
  return Number.isSafeInteger(hundredfold)
    ? Math.floor(hundredfold / total)
    : Number((BigInt(used) * 100n) / BigInt(total));
}

/**
 * Amounts are tokens, or micro-units of money. `inFlight` is an estimate and not part of `used`.
 */
export type ReachedCap = Readonly<{
  cap: 'tokens' | 'money';
  used: number;
  inFlight: number;
  total: number;
}>;

/** Tokens before money. Null if no cap is exhausted. */
export function reachedCap(
  caps: Caps,
  spent: Spent,
  inFlight: Spent = nothingSpent,
): ReachedCap | null {
  const { tokens_total: tokens, cost_total_micros: money } = caps;
  return (
    reached('tokens', spent.tokens_used, inFlight.tokens_used, tokens) ??
    reached('money', spent.cost_used_micros, inFlight.cost_used_micros, money)
  );
}

const reached = (
  cap: ReachedCap['cap'],
  used: number,
  inFlight: number,
  total: number | null,
): ReachedCap | null =>
  total === null || used + inFlight < total ? null : { cap, used, inFlight, total };
