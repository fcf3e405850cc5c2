// Decides whether requests fit into the allotments of budgets that the control plane gave this
// process, and says what it needs ahead (docs/adr/0056-budget-allotments.md). Times are monotonic
// milliseconds.

import type { PrincipalId } from '../lib/ids.ts';
import type { CompiledBudget } from '../snapshot/compile/callers.ts';
import type { Caps } from '../snapshot/spend.ts';
import { wholeShare } from './allotment.ts';
import { firstShareOf } from './budget-allotment.ts';
import { budgetDimensions, reportable } from './reconciliation.ts';
import type { BudgetAllotments, BudgetDimension, SpendAsk } from './reconciliation.ts';
import {
  askSpend,
  follow,
  holdSpend,
  lacksSpend,
  needOfSpend,
  newSpendMeter,
} from './spend-meter.ts';
import type { SpendMeter, Used } from './spend-meter.ts';
import type { Amount, SpendAccount, Spending } from './spending.ts';

/**
 * The time after a report was sent in which its allotments are valid. Control planes give them to
 * others later (`allotmentMs`), because clocks run at different speeds.
 */
const validMs = 90_000;
/** Others need more for this long after the last answer that says so. */
const shortMs = 15_000;

type Entry = Record<BudgetDimension, SpendMeter> & {
  account: SpendAccount | null;
  /** The window of the account when the allotments were given. */
  windowStartMs: number | null;
};

type Options = Readonly<{
  spending: Spending;
  /** The part of what is left, 0 to 1, that this process may spend while it has no answer. */
  outageShare?: number;
}>;

type Asked = Readonly<{ caps: Caps; cost: Amount; nowMs: number }>;

export class AllottedBudgets {
  /** By estimates. */
  readonly used: Record<BudgetDimension, number> = { tokens: 0, micros: 0 };
  /** Requests that allotments did not cover, although the budget was not known to be spent. */
  refused = 0;
  readonly #spending: Spending;
  readonly #outageShare: number;
  readonly #entries = new Map<PrincipalId, Entry>();
  /** Those with requests since the last report, or with spending that is not counted yet. */
  readonly #active = new Set<PrincipalId>();
  /** Those that ask with the next report in any case. */
  readonly #due = new Set<PrincipalId>();
  /** Those that have too little for a request or soon will. They are asked for before all others. */
  readonly #urgent = new Set<PrincipalId>();
  /** Those of which others need more. */
  readonly #short = new Set<PrincipalId>();
  #onLow: () => void = () => {};
  /** Null before the first answer. */
  #replicas: number | null = null;
  #validUntilMs = -Infinity;
  /** False after an answer of a control plane that does not allot budgets. */
  #isAllotted = true;

  constructor({ spending, outageShare = 1 }: Options) {
    this.#spending = spending;
    this.#outageShare = Math.floor(outageShare * wholeShare);
  }

  /** The number of replicas in the last answer. Null before it. */
  get replicas(): number | null {
    return this.#replicas;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Calls the listener when allotments run out, possibly often. */
  onLow(listener: () => void): void {
    this.#onLow = listener;
  }

  /** True while no control plane answers, and before the first answer. */
  isCutOff(nowMs: number): boolean {
    return this.#isAllotted && nowMs >= this.#validUntilMs;
  }

  /** Checks all caps. A request that is not covered counts as demand. */
  admit(principalId: PrincipalId, budget: CompiledBudget, asked: Asked): boolean {
    const share = this.#shareAt(asked.nowMs);
    if (share >= wholeShare) {
      this.#countUsed(asked);
      return true;
    }
    const entry = this.#entryOf(principalId, budget, asked.nowMs);
    const isCutOff = this.isCutOff(asked.nowMs);
    let isCovered = true;
    let isUrgent = false;
    this.#active.add(principalId);
    for (const dimension of budgetDimensions) {
      const meter = entry[dimension];
      const cap = capOf(asked.caps, dimension);
      if (cap === null) continue;
      const used = usedOf(entry.account, cap, dimension);
      follow(meter, used);
      const cost = asked.cost[dimension];
      const lacks = lacksSpend(isCutOff ? null : meter.ceiling, used, { cost, share });
      meter.demand += cost;
      if (lacks > 0) {
        isCovered = false;
        meter.lacking = meter.lacking === 0 ? lacks : Math.min(meter.lacking, lacks);
      }
      isUrgent ||= needOfSpend(meter, used) === 'now';
    }
    if (isUrgent) {
      this.#urgent.add(principalId);
      this.#onLow();
    }
    if (isCovered) this.#countUsed(asked);
    else this.refused++;
    return isCovered;
  }

  #countUsed({ caps, cost }: Asked): void {
    for (const dimension of budgetDimensions) {
      if (capOf(caps, dimension) !== null) this.used[dimension] += cost[dimension];
    }
  }

  /** True if not even the smallest request is covered. Counts no demand. */
  wouldRefuse(
    principalId: PrincipalId,
    budget: CompiledBudget,
    { caps, nowMs }: Omit<Asked, 'cost'>,
  ): boolean {
    const share = this.#shareAt(nowMs);
    if (share >= wholeShare) return false;
    const entry = this.#entryOf(principalId, budget, nowMs);
    const isCutOff = this.isCutOff(nowMs);
    return budgetDimensions.some((dimension) => {
      const cap = capOf(caps, dimension);
      if (cap === null) return false;
      const meter = entry[dimension];
      const isHeld = !isCutOff && meter.cap === cap;
      const used = usedOf(entry.account, cap, dimension);
      return lacksSpend(isHeld ? meter.ceiling : null, used, { cost: 0, share }) > 0;
    });
  }

  /**
   * Returns what this process needs. From now on it spends no more than it says, and only the
   * answer to the last asks may be applied.
   */
  takeAsks({
    nowMs,
    intervalMs,
    countMax,
  }: Readonly<{ nowMs: number; intervalMs: number; countMax: number }>): SpendAsk[] {
    const asks: SpendAsk[] = [];
    const replicas = this.#replicas;
    if (!this.#isAllotted || replicas === null) return asks;
    for (const principalId of this.#short) {
      if (this.#isShort(principalId, nowMs)) continue;
      this.#short.delete(principalId);
      this.#due.add(principalId);
    }
    const isValid = !this.isCutOff(nowMs);
    const ahead = { nowMs, intervalMs, isValid, replicas, share: this.#shareAt(nowMs) };
    // The control plane has given what was unused to others.
    if (!isValid) this.#forgetCeilings();
    for (const principalId of new Set([...this.#urgent, ...this.#due, ...this.#active])) {
      if (asks.length + budgetDimensions.length > countMax) break;
      this.#urgent.delete(principalId);
      const isDue = this.#due.delete(principalId);
      const entry = this.#entries.get(principalId);
      if (entry === undefined) continue;
      let isActive = false;
      for (const dimension of budgetDimensions) {
        const meter = entry[dimension];
        const used = this.#usedBy(principalId, entry, dimension);
        // A cap is not known before a request, but others may need more of the budget.
        const isUsed = meter.cap !== -1 || used.outstanding > 0;
        if (!isUsed && nowMs >= meter.shortUntilMs) continue;
        isActive ||= used.outstanding > 0;
        if (!isDue && needOfSpend(meter, used) === 'none') continue;
        const ask = { principal_id: principalId, dimension, ...askSpend(meter, used, ahead) };
        asks.push(reportable(ask));
      }
      if (!isActive) this.#active.delete(principalId);
    }
    return asks;
  }

  #forgetCeilings(): void {
    for (const entry of this.#entries.values()) {
      for (const dimension of budgetDimensions) entry[dimension].ceiling = null;
    }
  }

  #usedBy(principalId: PrincipalId, entry: Entry, dimension: BudgetDimension): Used {
    entry.account ??= this.#spending.knownAccount(principalId) ?? null;
    return usedOf(entry.account, entry[dimension].cap, dimension);
  }

  /**
   * Applies the answer to the last asks, which were sent at `sentAtMs`. Returns true if another
   * report is needed soon. Undefined is the answer of an older control plane.
   */
  apply(
    answer: BudgetAllotments | undefined,
    { sentAtMs, nowMs }: Readonly<{ sentAtMs: number; nowMs: number }>,
  ): boolean {
    this.#isAllotted = answer !== undefined;
    if (answer === undefined) {
      this.#forgetAll();
      return false;
    }
    const wasCutOff = this.isCutOff(sentAtMs);
    this.#validUntilMs = sentAtMs + validMs;
    const isMore = answer.replicas > (this.#replicas ?? answer.replicas);
    // After an outage, the control plane knows the first proxy that reports before the others.
    this.#replicas = wasCutOff ? Math.max(this.#replicas ?? 1, answer.replicas) : answer.replicas;
    if (isMore) for (const principalId of this.#entries.keys()) this.#due.add(principalId);
    if (wasCutOff) this.#declareAll(nowMs);
    for (const { principal_id: principalId, dimension, amount } of answer.amounts) {
      const entry = this.#entries.get(principalId);
      const meter = entry?.[dimension];
      // The window or the cap may have changed since the ask.
      if (entry === undefined || meter === undefined || meter.ceiling === null) continue;
      holdSpend(meter, usedOf(entry.account, meter.cap, dimension), amount);
    }
    let isAskedFor = wasCutOff && this.#due.size > 0;
    for (const { principal_id: principalId, dimension } of answer.short) {
      const entry = this.#entries.get(principalId) ?? this.#newEntry(principalId, nowMs);
      const meter = entry[dimension];
      isAskedFor ||= nowMs >= meter.shortUntilMs || meter.ceiling === null;
      meter.shortUntilMs = nowMs + shortMs;
      this.#short.add(principalId);
      this.#due.add(principalId);
    }
    return isAskedFor;
  }

  /** Removes principals that no longer have a budget, also from the spending. */
  keepOnly(hasBudget: (principalId: PrincipalId) => boolean): void {
    this.#spending.keepOnly(hasBudget);
    for (const principalId of this.#entries.keys()) {
      if (hasBudget(principalId)) continue;
      this.#entries.delete(principalId);
      this.#active.delete(principalId);
      this.#due.delete(principalId);
      this.#urgent.delete(principalId);
      this.#short.delete(principalId);
    }
  }

  /** The part of what is left, in ten-thousandths, that may be spent without an allotment. */
  #shareAt(nowMs: number): number {
    if (!this.#isAllotted) return wholeShare;
    if (this.isCutOff(nowMs)) return this.#outageShare;
    return firstShareOf(this.#replicas ?? 1);
  }

  #isShort(principalId: PrincipalId, nowMs: number): boolean {
    const entry = this.#entries.get(principalId);
    return budgetDimensions.some((dimension) => nowMs < (entry?.[dimension].shortUntilMs ?? 0));
  }

  /** In another window, the allotments of the previous one are forgotten. A new budget has no window yet. */
  #entryOf(principalId: PrincipalId, budget: CompiledBudget, nowMs: number): Entry {
    const account = this.#spending.accountOf(principalId, budget);
    const known = this.#entries.get(principalId);
    const isSame = known !== undefined && (known.account === account || known.account === null);
    const windowStartMs = known?.windowStartMs ?? account.windowStartMs;
    const isSameWindow = windowStartMs === account.windowStartMs;
    const entry = isSame && isSameWindow ? known : this.#newEntry(principalId, nowMs);
    entry.account = account;
    entry.windowStartMs = account.windowStartMs;
    return entry;
  }

  #newEntry(principalId: PrincipalId, nowMs: number): Entry {
    const entry: Entry = {
      account: null,
      windowStartMs: null,
      tokens: newSpendMeter(nowMs),
      micros: newSpendMeter(nowMs),
    };
    this.#entries.set(principalId, entry);
    return entry;
  }

  /** Before the first answer and in an outage, it spent without allotments. */
  #declareAll(nowMs: number): void {
    for (const principalId of this.#spending.outstanding()) {
      if (!this.#entries.has(principalId)) this.#newEntry(principalId, nowMs);
      this.#due.add(principalId);
    }
  }

  #forgetAll(): void {
    this.#entries.clear();
    this.#active.clear();
    this.#due.clear();
    this.#urgent.clear();
    this.#short.clear();
    this.#replicas = null;
  }
}

const capOf = (caps: Caps, dimension: BudgetDimension): number | null =>
  dimension === 'tokens' ? caps.tokens_total : caps.cost_total_micros;

function usedOf(account: SpendAccount | null, cap: number, dimension: BudgetDimension): Used {
  if (account === null) return { cap, known: 0, outstanding: 0, settled: 0 };
  return {
    cap,
    known: account.known[dimension],
    outstanding: account.pending[dimension] + account.inFlight[dimension],
    settled: account.settled[dimension],
  };
}
