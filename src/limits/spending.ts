// Counts what principals have spent of their budgets, as one replica knows it (Gateway rule 12): the figure of the control
// plane, plus rows recorded here that the figure does not include yet, plus an estimate for the requests in flight.
//
// Every row counts exactly once. The answer to a delivery contains a figure that includes its rows, so the rows are removed
// when that figure is applied. Until the answer arrives, a sent row is in doubt: a figure from another source may include
// it. Such a figure is reduced by all rows in doubt, and applied only if it is still higher than the known amount.

import type { PrincipalId } from '../lib/ids.ts';
import type { CompiledBudget, ReportedSpend } from '../snapshot/compile/callers.ts';
import type { Spent } from '../snapshot/spend.ts';

export type Amount = Readonly<{ tokens: number; micros: number }>;

/** The spending that the control plane had counted when it answered a delivery. */
export type Figure = Readonly<{ principalId: PrincipalId }> & ReportedSpend;

/** The current spending. `spent` is used; `inFlight` estimates what the requests in flight will use. */
export type CurrentSpend = Readonly<{ spent: Spent; inFlight: Spent }>;

type Sum = { tokens: number; micros: number };

type Account = {
  /** The sum of the rows of this process that are not held any more. It never decreases. */
  settled: Sum;
  /** Spent in the window, without the rows that are held here. */
  known: Sum;
  /** Null when the control plane does not report it. */
  windowStartMs: number | null;
  /** The step at which `known` was last updated. */
  knownAt: number;
  /** The figure of the last snapshot that was read. */
  reported: ReportedSpend;
  /** The sum of the rows held here (`pending`), and of those that are in doubt. */
  pending: Sum;
  inDoubt: Sum;
  inFlight: Sum;
  rows: number;
};

/** Read only. Replaced by another one when the principal's budget was absent for some time. */
export type SpendAccount = Readonly<
  Pick<Account, 'settled' | 'known' | 'pending' | 'inFlight' | 'windowStartMs'>
>;

/** `held`: only in memory. `sent`: the control plane may have counted it. `spooled`: in a file that another process may deliver. */
type RowState = 'held' | 'sent' | 'spooled';

type Row = { readonly account: Account; readonly amount: Amount; state: RowState };

/** A request in flight. */
export type Hold = { readonly account: Account; readonly estimate: Amount; isReleased: boolean };

/** Rows over this limit are added to the known amount at once, and corrected by the next figure. */
const rowsMax = 100_000;

const zero: Amount = { tokens: 0, micros: 0 };

export class Spending {
  readonly #accounts = new Map<PrincipalId, Account>();
  /** Keyed by row id. */
  readonly #rows = new Map<string, Row>();
  /** Orders updates and deliveries. */
  #step = 0;
  #spooled = 0;

  /** True when no row is held. A delivery then needs no bookkeeping. */
  get isIdle(): boolean {
    return this.#rows.size === 0;
  }

  /** The number of principals and rows in memory. */
  get size(): Readonly<{ accounts: number; rows: number }> {
    return { accounts: this.#accounts.size, rows: this.#rows.size };
  }

  currentSpend(principalId: PrincipalId, budget: CompiledBudget): CurrentSpend {
    const { known, pending, inFlight } = this.#accountOf(principalId, budget);
    return {
      spent: {
        tokens_used: known.tokens + pending.tokens,
        cost_used_micros: known.micros + pending.micros,
      },
      inFlight: { tokens_used: inFlight.tokens, cost_used_micros: inFlight.micros },
    };
  }

  /** The spending of a principal, as this process knows it. */
  accountOf(principalId: PrincipalId, budget: CompiledBudget): SpendAccount {
    return this.#accountOf(principalId, budget);
  }

  /** The same, if the principal has sent a request. */
  knownAccount(principalId: PrincipalId): SpendAccount | undefined {
    return this.#accounts.get(principalId);
  }

  /** The principals with spending that the control plane may not have counted. */
  *outstanding(): Iterable<PrincipalId> {
    for (const [principalId, { rows, inFlight }] of this.#accounts) {
      if (rows > 0 || inFlight.tokens > 0 || inFlight.micros > 0) yield principalId;
    }
  }

  /** Counts an admitted request by its estimated use. It must be concluded or released. */
  hold(principalId: PrincipalId, budget: CompiledBudget, estimate: Amount): Hold {
    const account = this.#accountOf(principalId, budget);
    add(account.inFlight, estimate);
    return { account, estimate, isReleased: false };
  }

  /** Ends a request without a row. Has no effect after the first call, or after `conclude`. */
  release(hold: Hold): void {
    if (hold.isReleased) return;
    hold.isReleased = true;
    subtract(hold.account.inFlight, hold.estimate);
  }

  /** Ends a request with this row. */
  conclude(hold: Hold, rowId: string, amount: Amount): void {
    const { account } = hold;
    this.release(hold);
    if (amount.tokens === 0 && amount.micros === 0) return;
    if (this.#rows.size >= rowsMax) {
      add(account.settled, amount);
      return add(account.known, amount);
    }
    this.#rows.set(rowId, { account, amount, state: 'held' });
    add(account.pending, amount);
    account.rows++;
  }

  /** Adds a row to the known amount when there is no control plane. Returns its amount, or null when the row is not held. */
  countHere(rowId: string): Amount | null {
    const row = this.#take(rowId);
    if (row === undefined) return null;
    add(row.account.known, row.amount);
    return row.amount;
  }

  /** Marks rows as sent. Returns the step, for `delivered`. */
  sending(rowIds: readonly string[]): number {
    for (const rowId of rowIds) this.#markSent(rowId);
    return ++this.#step;
  }

  /** Marks rows as written to files, which another process may deliver. */
  spooled(rowIds: readonly string[]): void {
    for (const rowId of rowIds) {
      const row = this.#markSent(rowId);
      if (row === undefined || row.state === 'spooled') continue;
      row.state = 'spooled';
      this.#spooled++;
    }
  }

  /** Removes the spooled rows. Call this when no spool file is left, because another process has delivered them. */
  spoolIsEmpty(): void {
    if (this.#spooled === 0) return;
    for (const [rowId, { state }] of this.#rows) if (state === 'spooled') this.#take(rowId);
  }

  /**
   * Removes rows that the control plane accepted, sent at step `sentAt`. If it returned no figures, the rows are
   * added to the known amount, and the next snapshot corrects it.
   */
  delivered(
    rowIds: readonly string[],
    { figures, sentAt }: Readonly<{ figures: readonly Figure[] | null; sentAt: number }>,
  ): void {
    if (figures === null) return this.lost(rowIds);
    const taken = new Map<Account, Sum>();
    for (const rowId of rowIds) {
      const row = this.#take(rowId);
      if (row === undefined) continue;
      const sum = taken.get(row.account) ?? { ...zero };
      add(sum, row.amount);
      taken.set(row.account, sum);
    }
    for (const figure of figures) {
      const account = this.#accounts.get(figure.principalId);
      if (account === undefined) continue;
      applyDelivery(account, figure, { taken: taken.get(account) ?? zero, sentAt });
      account.knownAt = ++this.#step;
    }
  }

  /** Handles rows that will never be delivered. They were spent, so they count until the next figure. */
  lost(rowIds: readonly string[]): void {
    for (const rowId of rowIds) {
      const row = this.#take(rowId);
      if (row !== undefined) add(row.account.known, row.amount);
    }
  }

  /** Removes principals that no longer have a budget. */
  keepOnly(hasBudget: (principalId: PrincipalId) => boolean): void {
    for (const [principalId, { rows }] of this.#accounts) {
      if (rows === 0 && !hasBudget(principalId)) this.#accounts.delete(principalId);
    }
  }

  #accountOf(principalId: PrincipalId, { reported }: CompiledBudget): Account {
    const account = this.#accounts.get(principalId);
    if (account === undefined) {
      const fresh = newAccount(reported, ++this.#step);
      this.#accounts.set(principalId, fresh);
      return fresh;
    }
    if (account.reported !== reported) {
      applySnapshot(account, reported);
      account.knownAt = ++this.#step;
    }
    return account;
  }

  #markSent(rowId: string): Row | undefined {
    const row = this.#rows.get(rowId);
    if (row?.state !== 'held') return row;
    row.state = 'sent';
    add(row.account.inDoubt, row.amount);
    return row;
  }

  #take(rowId: string): Row | undefined {
    const row = this.#rows.get(rowId);
    if (row === undefined) return undefined;
    const { account, amount, state } = row;
    this.#rows.delete(rowId);
    subtract(account.pending, amount);
    add(account.settled, amount);
    if (state !== 'held') subtract(account.inDoubt, amount);
    if (state === 'spooled') this.#spooled--;
    account.rows--;
    return row;
  }
}

const newAccount = (reported: ReportedSpend, step: number): Account => ({
  settled: { ...zero },
  known: amountOf(reported),
  windowStartMs: reported.windowStartMs,
  knownAt: step,
  reported,
  pending: { ...zero },
  inDoubt: { ...zero },
  inFlight: { ...zero },
  rows: 0,
});

/** Applies the figure of a snapshot, which may be older than the known amount. */
function applySnapshot(account: Account, reported: ReportedSpend): void {
  const previous = account.reported;
  account.reported = reported;
  const window = compareWindows(account.windowStartMs, reported.windowStartMs);
  if (window < 0) return;
  // Spending never decreases within a window.
  const hasDecreased =
    reported.tokens_used < previous.tokens_used ||
    reported.cost_used_micros < previous.cost_used_micros;
  const isNewWindow = window > 0 || (window !== 0 && hasDecreased);
  const base = isNewWindow ? zero : account.known;
  const { inDoubt } = account;
  account.known = maximum(base, minus(amountOf(reported), inDoubt));
  account.windowStartMs = reported.windowStartMs ?? account.windowStartMs;
}

type Delivery = Readonly<{ taken: Amount; sentAt: number }>;

/** Applies the figure that includes the rows of a delivery. Those rows are no longer held. */
function applyDelivery(account: Account, figure: Figure, { taken, sentAt }: Delivery): void {
  const counted = amountOf(figure);
  const window = compareWindows(account.windowStartMs, figure.windowStartMs);
  // Everything known is older than the delivery, so a lower figure or an earlier window means that the database was
  // restored.
  const isNewest = account.knownAt < sentAt;
  if (window < 0 && !isNewest) return;
  const base = window === 0 ? { ...account.known } : { ...zero };
  add(base, taken);
  const known = maximum(base, minus(counted, account.inDoubt));
  account.known = isNewest || window !== 0 ? minimum(known, counted) : known;
  account.windowStartMs = figure.windowStartMs;
}

/** 0 for the same window, positive for a later one, negative for an earlier one; NaN when one of them is unknown. */
const compareWindows = (held: number | null, next: number | null): number =>
  held === null || next === null ? NaN : next - held;

const amountOf = ({ tokens_used, cost_used_micros }: Spent): Sum => ({
  tokens: tokens_used,
  micros: cost_used_micros,
});

function add(sum: Sum, { tokens, micros }: Amount): void {
  sum.tokens += tokens;
  sum.micros += micros;
}

function subtract(sum: Sum, { tokens, micros }: Amount): void {
  sum.tokens -= tokens;
  sum.micros -= micros;
}

const minus = (a: Amount, b: Amount): Amount => ({
  tokens: Math.max(0, a.tokens - b.tokens),
  micros: Math.max(0, a.micros - b.micros),
});

const maximum = (a: Amount, b: Amount): Sum => ({
  tokens: Math.max(a.tokens, b.tokens),
  micros: Math.max(a.micros, b.micros),
});

const minimum = (a: Amount, b: Amount): Sum => ({
  tokens: Math.min(a.tokens, b.tokens),
  micros: Math.min(a.micros, b.micros),
});
