// Decides how much of a rate limit a proxy may use in a minute (docs/adr/0053-allotments.md). Pure.
//
// Every live proxy has a start: a share of every limit that it may use in the minute without asking.
// A proxy that needs more of a limit declares itself: from then on it may use its allotment of that
// limit instead of the start. What is left for allotments is the limit, less all allotments, less
// the starts of those that have not declared themselves.

/** Shares are in ten-thousandths, so that their sums are exact. */
export const wholeShare = 10_000;
/** The sum of the starts of several proxies. The rest is for those that need more. */
const startsShare = 5_000;

type Starts = Readonly<Record<string, number>>;

/**
 * The start of another proxy in a minute. A single proxy gets the whole limit. A proxy that comes
 * when all starts are given gets none until the next minute.
 */
export function startShareOf(given: Starts, replicas: number): number {
  const sum = sumOf(given);
  if (replicas <= 1 && Object.keys(given).length === 0) return wholeShare;
  return Math.max(0, Math.min(Math.floor(startsShare / replicas), startsShare - sum));
}

/** The amount that a proxy may use of this limit without an allotment. */
export const startAmount = (limit: number, share: number): number =>
  Math.floor((limit * share) / wholeShare);

/** The need of a proxy for a limit in a minute. */
export type Ask = Readonly<{
  /** It will use no more than this until it has an answer. At least what it has used. */
  keeps: number;
  /** It can use this much more. */
  wants: number;
  /** The smallest useful amount: a refused request lacked it. */
  unit: number;
}>;

export type Held = Readonly<Record<string, number>>;

type Given = Readonly<{
  limit: number;
  /** Allotments of the proxies that have declared themselves. */
  held: Held;
  starts: Starts;
  replica: string;
  /** Live proxies. */
  replicas: number;
}>;

export type Allotted = Readonly<{ amount: number; isShort: boolean }>;

/**
 * The new allotment of the proxy. A grant is at most an even part of what is left, so grants shrink
 * as the limit is used up.
 */
export function allot({ limit, held, starts, replica, replicas }: Given, ask: Ask): Allotted {
  const { [replica]: _own, ...others } = held;
  const undeclared = Object.keys(starts).filter((one) => one !== replica && !(one in others));
  const declaredShare =
    sumOf(starts) - undeclared.reduce((sum, one) => sum + (starts[one] ?? 0), 0);
  // Also starts that are not given yet.
  const reservedShare = Math.max(startsShare, sumOf(starts)) - declaredShare;
  // Rounded down like the starts, which together are never more than this.
  const reserved = Math.floor((limit * reservedShare) / wholeShare);
  const left = Math.max(0, limit - sumOf(others) - ask.keeps - reserved);
  const evenPart = Math.ceil(left / Math.max(1, replicas));
  const most = Math.min(ask.wants, left, Math.max(evenPart, ask.unit));
  // Less than the unit would help no one.
  const grant = most < Math.min(ask.unit, ask.wants) ? 0 : most;
  return { amount: ask.keeps + grant, isShort: ask.wants > left };
}

const sumOf = (amounts: Readonly<Record<string, number>>): number =>
  Object.values(amounts).reduce((sum, one) => sum + one, 0);
