// Adds up the corrections of a recomputation, by currency and by budget.

import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import type { BudgetDelta, Correction } from '../../../db/usage/ledger/reprices.ts';
import { defaultCurrency } from '../../../lib/vocabulary.ts';
import { exactSum } from './priced-pages.ts';

export class RepriceTotals {
  rows = 0;
  unpricedRows = 0;
  #correctedRows = 0;
  readonly #byCurrency = new Map<string, number>();
  readonly #byBudget = new Map<string, BudgetDelta>();

  add(row: LedgerRow, corrections: readonly Correction[]): void {
    if (corrections.length > 0) this.#correctedRows++;
    for (const { currency, deltaMicros, estimatedDeltaMicros } of corrections) {
      this.#byCurrency.set(currency, exactSum((this.#byCurrency.get(currency) ?? 0) + deltaMicros));
      if (currency === defaultCurrency) this.#charge(row, deltaMicros + estimatedDeltaMicros);
    }
  }

  result() {
    return {
      rows: this.rows,
      correctedRows: this.#correctedRows,
      unpricedRows: this.unpricedRows,
      totals: [...this.#byCurrency].map(([currency, delta]) => ({ currency, delta_micros: delta })),
      budgets: [...this.#byBudget.values()].filter(({ deltaMicros }) => deltaMicros !== 0),
    };
  }

  #charge({ principal_id: principalId, budget_window_ms: windowMs }: LedgerRow, delta: number) {
    if (windowMs === null) return;
    const key = `${principalId} ${windowMs}`;
    const before = this.#byBudget.get(key)?.deltaMicros ?? 0;
    this.#byBudget.set(key, { principalId, windowMs, deltaMicros: exactSum(before + delta) });
  }
}
