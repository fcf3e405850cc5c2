// Serves budgets of principals and their current spend (specification, "Limits and budget").

import { z } from 'zod';

import { alertsField, calendarField } from '../../lib/budget-fields.ts';
import { camelKeys } from '../../lib/case.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { budgetFieldsOf, listBudgets } from '../../../projections/tables/budgets.ts';
import type { BudgetRow } from '../../../projections/tables/budgets.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import { namesOf, spentBy } from '../../control/access/record-details.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { budgetField } from '../../lib/amounts.ts';
import { timestamp } from '../../lib/fields.ts';
import { principalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import { capsAt } from '../../control/usage/budget-caps.ts';
import { begunWindowEnd } from '../../limits/window.ts';
import { budgetCalendar, budgetWindow } from '../../lib/vocabulary.ts';
import { asOfQuery } from '../http/as-of.ts';
import { budgetIncreaseRoutes, increaseRecord, increaseRecords } from './budget-increases.ts';
import type { IncreaseRecord } from './budget-increases.ts';
import type { AccessNeeds } from './needs.ts';
import { idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { answerOne, answerPage, countWhere, byPrincipal, listQuery } from '../lists/page.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const cap = z.int().positive().nullable();

/**
 * Amounts are in micro-units. A null cap means no cap. Spend and the window are null when reading a
 * past state.
 */
const budgetRecord = z.object({
  principal_id: principalId,
  principal: z.string(),
  tokens_total: cap,
  tokens_used: z.int().nonnegative().nullable(),
  cost_total_micros: cap,
  cost_used_micros: z.int().nonnegative().nullable(),
  /** With a calendar, the fixed window of about the same length. */
  window: budgetWindow,
  /** Null for windows of a fixed length. */
  calendar: budgetCalendar.nullable(),
  alert_at_percent: z.array(z.int()).readonly(),
  /** Temporary increases that have not ended. */
  increases: z.array(increaseRecord).readonly(),
  /** The caps now in force, with the increases. Null also when reading a past state. */
  tokens_total_now: cap,
  cost_total_micros_now: cap,
  window_start: timestamp.nullable(),
  window_end: timestamp.nullable(),
});
type BudgetRecord = z.input<typeof budgetRecord>;

const params = idIn(principalId);
const config = { permission: 'config:write', query: none } as const;

export const budgetRoutes = [
  ...budgetIncreaseRoutes,
  route({
    method: 'GET',
    path: '/admin/budgets',
    operation: 'listBudgets',
    permission: 'usage:read',
    summary: 'List budgets, with their spend in the current window',
    refusals: [],
    params: none,
    query: listQuery(budgetRecord),
    body: none,
    response: z.array(budgetRecord),
    handle: ({ query }, call, needs: AccessNeeds) =>
      answerPage(call, query, {
        record: budgetRecord,
        ...byPrincipal,
        rows: (page) => listBudgets(needs.db, page),
        total: ({ principal }) => countWhere(principal.byId.values(), (one) => one.budget !== null),
        rowsIn: ({ principal }) => [...principal.byId.values()].flatMap(rowsOf),
        toBody: (rows, past) => listedBudgets(needs, rows, past),
      }),
  }),
  route({
    method: 'GET',
    permission: 'usage:read',
    body: none,
    path: '/admin/principals/{id}/budget',
    operation: 'getBudget',
    summary: 'Get the budget of a principal and its current spend; 404 if it has none',
    refusals: ['absent'],
    params,
    query: asOfQuery,
    response: budgetRecord,
    handle: ({ params: { id }, query }, call, needs: AccessNeeds) =>
      answerOne(call, query, {
        rowIn: ({ principal }) => {
          const held = principal.byId.get(id);
          return held === undefined ? null : (rowsOf(held)[0] ?? null);
        },
        toBody: (rows, past) => listedBudgets(needs, rows, past),
        absent: noBudget(id),
      }),
  }),
  route({
    ...config,
    method: 'PUT',
    path: '/admin/principals/{id}/budget',
    operation: 'setBudget',
    summary: 'Replace the caps of a budget; its spend and window start are kept',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      tokens_total: budgetField.nullable().default(null),
      cost_total_micros: budgetField.nullable().default(null),
      window: budgetWindow.optional().meta({
        description: 'If absent, an existing budget keeps its window; a new budget is monthly.',
      }),
      calendar: calendarField.nullable().optional().meta({
        description:
          'Calendar windows. Null means windows of a fixed length. If absent, an existing calendar is kept unless window differs from it.',
      }),
      alert_at_percent: alertsField.nullable().optional(),
    }),
    response: budgetRecord,
    handle: ({ params: { id }, body }, call, { vault, clock }: AccessNeeds) => {
      const command = {
        type: 'SetBudget',
        id,
        ...camelKeys(body),
        window: body.window,
        initialTokensUsed: 0,
      } as const;
      return mutate(call, { command }, async ({ state }, db) => {
        const [record] = await listedBudgets(
          { vault, db, clock },
          rowsOf(written(state.principal, id)),
          null,
        );
        if (record === undefined) throw new Error(`the budget of principal ${id} is not counted`);
        return record;
      });
    },
  }),
  deleteRoute({
    path: '/admin/principals/{id}/budget',
    operation: 'clearBudget',
    summary: 'Delete the budget of a principal and its recorded spend',
    id: principalId,
    command: (id) => ({ type: 'ClearBudget', id }),
  }),
] as const;

const noBudget = (id: number): Refusal =>
  refuse('absent', `principal ${id} does not exist or has no budget`);

type ReadingNow = Revealing & Readonly<{ clock: Clock }>;

/** A budget that is deleted between the two reads is left out. */
async function listedBudgets(
  reading: ReadingNow,
  rows: readonly BudgetRow[],
  past: ConfigState | null,
): Promise<BudgetRecord[]> {
  const nameOf = await namesOf(reading, rows);
  const increases = await increaseRecords(
    reading,
    rows.flatMap((row) => row.increases),
  );
  const recordOf = (row: BudgetRow, now: Now | null): BudgetRecord =>
    toRecord(row, { principal: nameOf(row), increases, now });
  if (past !== null) return rows.map((row) => recordOf(row, null));
  const ids = rows.map((row) => row.principal_id);
  const spent = await spentBy(reading.db, ids);
  const nowMs = reading.clock();
  return rows.flatMap((row) => {
    const usage = spent.get(row.principal_id);
    return usage === undefined ? [] : recordOf(row, { usage, nowMs });
  });
}

/** Returns an empty list if the principal has no budget. */
const rowsOf = ({ id, name, budget }: Principal): BudgetRow[] =>
  budget === null
    ? []
    : [
        {
          principal_id: id,
          principal: name.text,
          principal_name_ref: name.ref,
          ...budgetFieldsOf(budget),
        },
      ];

type Spent =
  Awaited<ReturnType<typeof spentBy>> extends ReadonlyMap<number, infer One> ? One : never;

/** The spending and the time, which a past state does not have. */
type Now = Readonly<{ usage: Spent; nowMs: number }>;

type Shown = Readonly<{
  principal: string;
  increases: ReadonlyMap<string, IncreaseRecord>;
  now: Now | null;
}>;

function toRecord(
  { principal_name_ref: _ref, ...row }: BudgetRow,
  { principal, increases, now }: Shown,
): BudgetRecord {
  const usage = now?.usage ?? null;
  const start = usage?.window_start ?? null;
  const caps = now === null ? null : capsAt(capsIn(row), now.nowMs);
  return {
    ...row,
    principal,
    increases: row.increases.flatMap(({ reasonRef }) => increases.get(reasonRef) ?? []),
    tokens_total_now: caps?.tokens_total ?? null,
    cost_total_micros_now: caps?.cost_total_micros ?? null,
    tokens_used: usage?.tokens_used ?? null,
    cost_used_micros: usage?.cost_used_micros ?? null,
    window_start: start === null ? null : start.toISOString(),
    window_end: usage === null ? null : toRfc3339(windowEndOf(row, usage)),
  };
}

const capsIn = ({
  tokens_total,
  cost_total_micros,
  increases,
}: Omit<BudgetRow, 'principal_name_ref'>) => ({
  tokensTotal: tokens_total,
  costTotalMicros: cost_total_micros,
  increases,
});

function windowEndOf({ window, calendar }: Pick<BudgetRow, 'window' | 'calendar'>, usage: Spent) {
  const begun = {
    startMs: usage.window_start.getTime(),
    endMs: usage.window_end?.getTime() ?? null,
  };
  return begunWindowEnd({ window, calendar: calendar ?? undefined }, begun);
}
