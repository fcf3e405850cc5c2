// Defines the table of budgets: caps and window, one row per principal with a budget. The amount
// spent is in op.budget_usage.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { snakeKeys } from '../../src/lib/case.ts';
import { rowOf } from '../../src/db/columns.ts';
import { integer, readRows, text } from '../../src/db/rows.ts';
import { principalId } from '../../src/lib/ids.ts';
import { budgetCalendar, budgetWindow } from '../../src/lib/vocabulary.ts';
import { budgetSettings } from '../config/principal.ts';
import type { Budget } from '../config/principal.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const budgets = {
  name: 'budgets',
  version: 3,
  noun: 'principal',
  owner: 'principal_id',
  columns: {
    principal_id: 'bigint not null',
    tokens_total: 'bigint',
    cost_total_micros: 'bigint',
    window: 'text not null',
    calendar: 'jsonb',
    alert_at_percent: 'jsonb not null',
    increases: 'jsonb not null',
  },
  primaryKey: ['principal_id'],
  rows: (state, id) => {
    const held = state.principal.byId.get(id)?.budget ?? null;
    if (held === null) return [];
    const { calendar, alert_at_percent: alerts, increases, ...row } = budgetFieldsOf(held);
    return [
      {
        principal_id: id,
        ...row,
        calendar: calendar && JSON.stringify(calendar),
        alert_at_percent: JSON.stringify(alerts),
        increases: JSON.stringify(increases),
      },
    ];
  },
} satisfies EntityTable;

/** The fields of a budget, with unset ones as null or an empty list. */
export const budgetFieldsOf = ({ increases, ...held }: Budget) => {
  const { calendar, alertAtPercent, ...budget } = budgetSettings(held);
  return {
    ...snakeKeys(budget),
    calendar: calendar ?? null,
    alert_at_percent: alertAtPercent ?? [],
    increases: increases ?? [],
  };
};

const budgetRow = rowOf(budgets.columns).extend({
  principal_id: principalId,
  /** Exactly one of the two is set. */
  principal: text.nullable(),
  principal_name_ref: text.nullable(),
  window: budgetWindow,
  calendar: budgetCalendar.nullable(),
  alert_at_percent: z.array(integer).readonly(),
  increases: z
    .array(
      z.object({
        id: integer,
        tokens: integer.nullable(),
        costMicros: integer.nullable(),
        reasonRef: text,
        startsAt: text,
        endsAt: text,
      }),
    )
    .readonly(),
});
export type BudgetRow = Readonly<z.output<typeof budgetRow>>;

/** With the name of the principal (or its ref), sorted by its id. */
export const listBudgets = (db: Queryable, page: Page<number>): Promise<BudgetRow[]> =>
  readRows(db, budgetRow)`
    select principal_id, principals.name as principal, principals.name_ref as principal_name_ref,
      tokens_total, cost_total_micros, "window", calendar, alert_at_percent,
      increases
    from budgets join principals on principals.id = principal_id
    where principal_id > ${page.after ?? 0}
    order by principal_id limit ${page.limit}`;
