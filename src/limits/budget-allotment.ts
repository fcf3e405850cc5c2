// Decides how much of a budget a proxy may spend before the control plane has counted it
// (docs/adr/0056-budget-allotments.md). Pure.
//
// What is counted and all allotments together are at most the budget. What a proxy has spent stays
// in its allotment until it is counted. Then the proxy reports a smaller one.

import { wholeShare } from './allotment.ts';
import type { Allotted, Ask, Held } from './allotment.ts';

/** The sum of what several proxies may spend of the rest of a budget without an allotment. */
const firstSharesSum = 2_000;
const aloneShare = 5_000;

/**
 * The part of the rest of a budget that a proxy may spend without an allotment. A single proxy leaves
 * something for those that join before it knows of them.
 */
export const firstShareOf = (replicas: number): number =>
  replicas <= 1 ? aloneShare : Math.floor(firstSharesSum / replicas);

/** Rounded down. */
export const partOf = (left: number, share: number): number =>
  Math.floor((Math.max(0, left) * share) / wholeShare);

/** `keeps` includes `spare`: the part that it has not spent. */
export type BudgetAsk = Ask & Readonly<{ spare: number }>;

/** Live proxies, with the smallest number of proxies that each may know of. */
export type Live = ReadonlyMap<string, number>;

type Given = Readonly<{
  cap: number;
  /** Spent in the window, as far as it is counted. */
  counted: number;
  /** The part of it that proxies know from their snapshots. */
  published: number;
  /** The allotments of all proxies. Those of proxies that are not alive are ignored. */
  held: Held;
  live: Live;
  replica: string;
  /** True if some proxy needed more than was left a short time ago. */
  wasShort: boolean;
}>;

/**
 * The new allotment of the proxy: what it keeps and needs, and a reserve for requests to come.
 * Reserves of several proxies are at most about half of what is left, and get smaller with it.
 */
export function allotBudget(given: Given, ask: BudgetAsk): Allotted {
  const { cap, counted, published, held, live, replica, wasShort } = given;
  const replicas = Math.max(1, live.size);
  let promised = ask.keeps;
  for (const [other, knows] of live) {
    if (other === replica) continue;
    promised += held[other] ?? partOf(cap - published, firstShareOf(knows));
  }
  const left = Math.max(0, cap - counted - promised);
  const isShort = ask.wants > left;
  const needed = needOf(ask, { left, replicas });
  if (isShort || wasShort) return { amount: ask.keeps + needed, isShort };
  const share = Math.floor((left + ask.spare) / (2 * replicas));
  const reserve = Math.min(left, Math.max(needed, share - ask.spare));
  return { amount: ask.keeps + reserve, isShort };
}

/**
 * At most an even part of what is left, but enough for one request. A request that costs more than
 * all that is left gets its whole cost, because the request that exceeds a budget completes.
 */
function needOf(
  { wants, unit }: BudgetAsk,
  { left, replicas }: Readonly<{ left: number; replicas: number }>,
): number {
  if (left === 0 || wants === 0) return 0;
  const request = Math.min(unit, wants);
  return Math.max(request, Math.min(wants, left, Math.ceil(left / replicas)));
}
