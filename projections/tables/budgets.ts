// Defines the table of budgets: caps and window, one row per principal with a budget. The amount
// spent is in op.budget_usage.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { snakeKeys } from '../../src/lib/case.ts';
import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { principalId } from '../../src/lib/ids.ts';
import { budgetWindow } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const budgets = {
  name: 'budgets',
  version: 1,
  noun: 'principal',
  owner: 'principal_id',
  columns: {
    principal_id: 'bigint not null',
    tokens_total: 'bigint',
    cost_total_micros: 'bigint',
    window: 'text not null',
  },
  primaryKey: ['principal_id'],
  rows: (state, id) => {
    const held = state.principal.byId.get(id)?.budget ?? null;
    return held === null ? [] : [{ principal_id: id, ...snakeKeys(held) }];
  },
} satisfies EntityTable;

const budgetRow = rowOf(budgets.columns).extend({
  principal_id: principalId,
  /** Exactly one of the two is set. */
  principal: text.nullable(),
  principal_name_ref: text.nullable(),
  window: budgetWindow,
});
export type BudgetRow = Readonly<z.output<typeof budgetRow>>;

/** With the name of the principal (or its ref), sorted by its id. */
export const listBudgets = (db: Queryable, page: Page<number>): Promise<BudgetRow[]> =>
  readRows(db, budgetRow)`
    select principal_id, principals.name as principal, principals.name_ref as principal_name_ref,
      tokens_total, cost_total_micros, "window"
    from budgets join principals on principals.id = principal_id
    where principal_id > ${page.after ?? 0}
    order by principal_id limit ${page.limit}`;
