// Budgets of principals, with what is spent of them (specification, "Limits and budget").

import { z } from 'zod';

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { budgets, listBudgets } from '../../../projections/tables/budgets.ts';
import type { BudgetRow } from '../../../projections/tables/budgets.ts';
import { countRows } from '../../../projections/tables/page.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import { principalNames } from '../../control/access/principal-names.ts';
import { budgetUsages } from '../../db/usage/budget-usage.ts';
import { budgetField } from '../../lib/amounts.ts';
import { timestamp } from '../../lib/fields.ts';
import { principalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { windowEnd } from '../../limits/window.ts';
import { budgetWindow } from '../../lib/vocabulary.ts';
import { asOfQuery } from '../http/as-of.ts';
import type { Control } from '../control.ts';
import { idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { answerOne, answerPage, byPrincipal, listQuery } from '../lists/page.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const cap = z.int().positive().nullable();

/** Money in micro-units. A null cap caps nothing. What is spent, and of which window, is null as of a moment of the past. */
const budgetRecord = z.object({
  principal_id: principalId,
  principal: z.string(),
  tokens_total: cap,
  tokens_used: z.int().nonnegative().nullable(),
  cost_total_micros: cap,
  cost_used_micros: z.int().nonnegative().nullable(),
  window: budgetWindow,
  window_start: timestamp.nullable(),
  /** When the next window begins. */
  window_end: timestamp.nullable(),
});
type BudgetRecord = z.input<typeof budgetRecord>;

const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const budgetRoutes = [
  route({
    method: 'GET',
    path: '/admin/budgets',
    operation: 'listBudgets',
    permission: 'usage:read',
    summary: 'Every principal with a budget, and what is spent of it in the present window',
    refusals: [],
    params: none,
    query: listQuery(budgetRecord),
    body: none,
    response: z.array(budgetRecord),
    handle: ({ query }, call) =>
      answerPage(call, query, {
        record: budgetRecord,
        ...byPrincipal,
        rows: (page) => listBudgets(call.control.db, page),
        total: () => countRows(call.control.db, budgets),
        rowsIn: ({ principal }) => [...principal.byId.values()].flatMap(rowsOf),
        toBody: (rows, past) => listedBudgets(call.control, rows, past),
      }),
  }),
  route({
    method: 'GET',
    permission: 'usage:read',
    body: none,
    path: '/admin/principals/{id}/budget',
    operation: 'getBudget',
    summary: 'The budget of one principal, and what is spent of it; 404 when it has none',
    refusals: ['absent'],
    params,
    query: asOfQuery,
    response: budgetRecord,
    handle: ({ params: { id }, query }, call) =>
      answerOne(call, query, {
        rowIn: ({ principal }) => {
          const held = principal.byId.get(id);
          return held === undefined ? null : (rowsOf(held)[0] ?? null);
        },
        toBody: (rows, past) => listedBudgets(call.control, rows, past),
        absent: noBudget(id),
      }),
  }),
  route({
    ...config,
    method: 'PUT',
    path: '/admin/principals/{id}/budget',
    operation: 'setBudget',
    summary: 'Replace the caps of a budget; what is spent and the start of the window stay',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      tokens_total: budgetField.nullable().default(null),
      cost_total_micros: budgetField.nullable().default(null),
      window: budgetWindow.optional().meta({
        description: 'Absent keeps the window of a budget that there is; a new budget is monthly.',
      }),
    }),
    response: budgetRecord,
    handle: ({ params: { id }, body }, call) => {
      const command = {
        type: 'SetBudget',
        id,
        tokensTotal: body.tokens_total,
        costTotalMicros: body.cost_total_micros,
        window: body.window,
        initialTokensUsed: 0,
      } as const;
      return mutate(call, { command }, async ({ state }, tx) =>
        recordOf(call.control, written(state.principal, id), tx),
      );
    },
  }),
  deleteRoute({
    path: '/admin/principals/{id}/budget',
    operation: 'clearBudget',
    summary: 'Make a principal unlimited, and forget what it has spent',
    id: principalId,
    command: (id) => ({ type: 'ClearBudget', id }),
  }),
] as const;

/** `tx` is the mutation's transaction, which alone knows what it has just begun to count. */
async function recordOf(control: Control, principal: Principal, tx: Queryable) {
  const { id } = principal;
  const [row] = rowsOf(principal);
  if (row === undefined) throw new Error(`principal ${id} has no budget right after it was set`);
  const names = await principalNames({ ...control, db: tx }, [principal]);
  const [record] = await toRecords(tx, [{ ...row, principal: names.get(id) ?? '' }], new Map());
  if (record === undefined) throw new Error(`the budget of principal ${id} is not counted`);
  return record;
}

const noBudget = (id: number): Refusal =>
  refuse('absent', `principal ${id} does not exist or has no budget`);

async function listedBudgets(
  { db, vault }: Pick<Control, 'db' | 'vault'>,
  rows: readonly BudgetRow[],
  past: ConfigState | null,
): Promise<BudgetRecord[]> {
  const refs = rows.flatMap((row) => row.principal_name_ref ?? []);
  const names = await vault.reveal(db, refs);
  if (past !== null) return rows.map((row) => toRecord(row, names, null));
  return toRecords(db, rows, names);
}

/** None when there is no budget. */
const rowsOf = ({ id, name, budget }: Principal): BudgetRow[] =>
  budget === null
    ? []
    : [
        {
          principal_id: id,
          principal: name.text,
          principal_name_ref: name.ref,
          tokens_total: budget.tokensTotal,
          cost_total_micros: budget.costTotalMicros,
          window: budget.window,
        },
      ];

/** A budget that ends between the two reads is left out. */
async function toRecords(
  db: Queryable,
  rows: readonly BudgetRow[],
  names: ReadonlyMap<string, string>,
): Promise<BudgetRecord[]> {
  const usages = await budgetUsages(
    db,
    rows.map((row) => row.principal_id),
  );
  const byPrincipal = new Map(usages.map((usage) => [usage.principal_id, usage]));
  return rows.flatMap((row) => {
    const usage = byPrincipal.get(row.principal_id);
    return usage === undefined ? [] : toRecord(row, names, usage);
  });
}

type Usage = Awaited<ReturnType<typeof budgetUsages>>[number];

function toRecord(
  { principal_name_ref: ref, ...row }: BudgetRow,
  names: ReadonlyMap<string, string>,
  usage: Usage | null,
): BudgetRecord {
  const start = usage?.window_start ?? null;
  return {
    ...row,
    principal: row.principal ?? names.get(ref ?? '') ?? '',
    tokens_used: usage?.tokens_used ?? null,
    cost_used_micros: usage?.cost_used_micros ?? null,
    window_start: start === null ? null : start.toISOString(),
    window_end: start === null ? null : toRfc3339(windowEnd(start.getTime(), row.window)),
  };
}
