// Compares the sums that usage reports read with the rows of the ledger, by month and currency.

import type { Queryable } from '@databases/pg';

import type { LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import {
  correctedMonths,
  dimensionNames,
  precisions,
  reportSums,
  rolledUpMonths,
} from '../../../db/usage/ledger/report-sums.ts';
import type { MonthAmounts } from '../../../db/usage/ledger/report-sums.ts';

type Period = Readonly<{ month: string; currency: string }>;
type Amounts = { -readonly [Name in keyof MonthAmounts]: number };

const keyOf = ({ month, currency }: Period): string => `${month} in ${currency}`;

/** Adds up the ledger. Rows are added one by one: a statement over all of them would take too long. */
export class MonthTotals {
  readonly #totals = new Map<string, Amounts>();

  /** Rows that are not in the sums yet do not count. */
  addRow(row: LedgerRow): void {
    if (!row.is_summed) return;
    const total = this.#of(row);
    total.requests += 1;
    total.prompt_tokens += row.prompt_tokens;
    total.completion_tokens += row.completion_tokens;
    total.micros += (row.cost_micros ?? 0) + (row.estimated_cost_micros ?? 0);
  }

  /** Returns the months whose sums differ, with the sums that do. */
  async differences(tx: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
    for (const hours of await rolledUpMonths(tx)) this.#add(hours, hours);
    for (const { micros, ...period } of await correctedMonths(tx)) this.#add(period, { micros });
    const found = new Map<string, string[]>();
    for (const precision of precisions) {
      const summed = Map.groupBy(await reportSums(tx, precision), ({ dimension }) => dimension);
      for (const dimension of dimensionNames) {
        for (const key of this.#unlike(summed.get(dimension) ?? [])) {
          found.set(key, [...(found.get(key) ?? []), `${dimension} by ${precision}`]);
        }
      }
    }
    return found;
  }

  /** Months without sums differ too, unless nothing was used. */
  #unlike(sums: readonly (Period & MonthAmounts)[]): readonly string[] {
    const byKey = new Map(sums.map((one) => [keyOf(one), one]));
    const keys = new Set([...byKey.keys(), ...this.#totals.keys()]);
    return [...keys].filter((key) => {
      const [sum = none, total = none] = [byKey.get(key), this.#totals.get(key)];
      return names.some((name) => sum[name] !== total[name]);
    });
  }

  #add(period: Period, amounts: Partial<MonthAmounts>): void {
    const total = this.#of(period);
    for (const name of names) total[name] += amounts[name] ?? 0;
  }

  #of(period: Period): Amounts {
    const key = keyOf(period);
    const total = this.#totals.get(key) ?? { ...none };
    this.#totals.set(key, total);
    return total;
  }
}

const none: MonthAmounts = { requests: 0, prompt_tokens: 0, completion_tokens: 0, micros: 0 };
const names = ['requests', 'prompt_tokens', 'completion_tokens', 'micros'] as const;
