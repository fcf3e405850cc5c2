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

/**
 * `held`: only in memory. `sent`: the control plane may have counted it. `spooled`: in a file that another process may
 * deliver. `settled`: it is part of a known amount.
 */
type RowState = 'held' | 'sent' | 'spooled' | 'settled';

/** The amount that a row recorded here adds to its account. It accompanies the row, so that most rows need no lookup. */
export type SpentRow = Amount & { readonly account: Account; state: RowState; spooledAs: string };

/** Null for rows without an amount. */
type Rows = readonly (SpentRow | null)[];

/** A request in flight. */
export type Hold = { readonly account: Account; readonly estimate: Amount; isReleased: boolean };

/** Rows over this limit are added to the known amount at once, and corrected by the next figure. */
const rowsMax = 100_000;

const zero: Amount = { tokens: 0, micros: 0 };

export class Spending {
  readonly #accounts = new Map<PrincipalId, Account>();
  /** Those that are not settled. */
  #rows = 0;
  /** Keyed by row id. */
  readonly #spooled = new Map<string, SpentRow>();
  /** Orders updates and deliveries. */
  #step = 0;

  /** The number of principals, and of rows that are not settled. */
  get size(): Readonly<{ accounts: number; rows: number }> {
    return { accounts: this.#accounts.size, rows: this.#rows };
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

  /** Ends a request with a row of this amount. Null if the row needs no further call. */
  conclude(hold: Hold, { tokens, micros }: Amount): SpentRow | null {
    const { account } = hold;
    this.release(hold);
    if (tokens === 0 && micros === 0) return null;
    const row: SpentRow = { account, tokens, micros, state: 'held', spooledAs: '' };
    if (this.#rows >= rowsMax) {
      add(account.settled, row);
      add(account.known, row);
      return null;
    }
    this.#rows++;
    add(account.pending, row);
    account.rows++;
    return row;
  }

  /** Adds a row to the known amount if this process has no control plane. */
  countHere(row: SpentRow): void {
    if (this.#settle(row)) add(row.account.known, row);
  }

  /** Marks rows as sent. Returns the step, for `delivered`. */
  sending(rows: Rows): number {
    for (const row of rows) if (row !== null) markSent(row);
    return ++this.#step;
  }

  /** Marks rows as written to files, which another process may deliver. */
  spooled(rows: Rows, ids: readonly string[]): void {
    for (const [index, row] of rows.entries()) {
      const id = ids[index];
      if (row === null || id === undefined || row.state === 'settled') continue;
      markSent(row);
      row.state = 'spooled';
      row.spooledAs = id;
      this.#spooled.set(id, row);
    }
  }

  /** Those of these rows that this process wrote to files. */
  spooledRows(ids: readonly string[]): readonly SpentRow[] {
    if (this.#spooled.size === 0) return [];
    return ids.flatMap((id) => this.#spooled.get(id) ?? []);
  }

  /** Removes the spooled rows. Call this when no spool file is left, because another process has delivered them. */
  spoolIsEmpty(): void {
    for (const row of this.#spooled.values()) this.#settle(row);
  }

  /**
   * Removes rows that the control plane accepted, sent at step `sentAt`. If it returned no figures, the rows are
   * added to the known amount, and the next snapshot corrects it.
   */
  delivered(
    rows: Rows,
    { figures, sentAt }: Readonly<{ figures: readonly Figure[] | null; sentAt: number }>,
  ): void {
    if (figures === null) return this.lost(rows);
    const taken = new Map<Account, Sum>();
    for (const row of rows) {
      if (row === null || !this.#settle(row)) continue;
      const sum = taken.get(row.account) ?? { ...zero };
      add(sum, row);
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
  lost(rows: Rows): void {
    for (const row of rows) if (row !== null) this.countHere(row);
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

  /** Returns false if it is settled already, because rows may be reported twice. */
  #settle(row: SpentRow): boolean {
    const { account, state } = row;
    if (state === 'settled') return false;
    row.state = 'settled';
    subtract(account.pending, row);
    add(account.settled, row);
    if (state !== 'held') subtract(account.inDoubt, row);
    if (state === 'spooled') this.#spooled.delete(row.spooledAs);
    this.#rows--;
    account.rows--;
    return true;
  }
}

function markSent(row: SpentRow): void {
  if (row.state !== 'held') return;
  row.state = 'sent';
  add(row.account.inDoubt, row);
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
