// Hands out allotments of budgets to a proxy, in the transaction of its report
// (docs/adr/0056-budget-allotments.md). It takes the same number of statements for any number of
// budgets.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import {
  holdBudgetAllotments,
  listShortBudgets,
  liveReplicas,
  noteKnown,
  writeBudgetAllotments,
} from '../../db/budget-allotments.ts';
import type { BudgetAllotmentRow, BudgetPlace } from '../../db/budget-allotments.ts';
import { budgetUsages } from '../../db/usage/budget-usage.ts';
import type { BudgetUsage } from '../../db/usage/budget-usage.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { allotBudget } from '../../limits/budget-allotment.ts';
import type { Live } from '../../limits/budget-allotment.ts';
import { budgetDimensions, countsMax } from '../../limits/reconciliation.ts';
import type { BudgetAllotments, BudgetDimension, SpendAsk } from '../../limits/reconciliation.ts';
import { count } from './allotment-tally.ts';
import type { AllotmentTally } from './allotment-tally.ts';
import { capsAt } from './budget-caps.ts';

/** The allotments of a replica that has not reported for this long are available to others. */
export const allotmentMs = 120_000;

type Asked = Readonly<{
  replica: string;
  asks: readonly SpendAsk[];
  /** The number of replicas that it knew when it asked. Null if it has had no answer. */
  knownReplicas: number | null;
  state: ConfigState;
  /** By the clock that increases of budgets follow everywhere. */
  nowMs: number;
  tally: AllotmentTally;
}>;

export async function handOutBudgets(
  tx: Queryable,
  { replica, asks, knownReplicas, state, nowMs, tally }: Asked,
): Promise<BudgetAllotments> {
  const valid = new Map(
    asks.flatMap((ask) => (capOf(state, ask, nowMs) === null ? [] : [[nameOf(ask), ask] as const])),
  );
  const rows = valid.size === 0 ? [] : await holdBudgetAllotments(tx, [...valid.values()]);
  // Read after the rows are locked: others may have joined, or keep less because it was counted.
  const seen = await liveReplicas(tx, allotmentMs);
  const live = new Map(seen.map((one) => [one.replica, one.knows]));
  // The answer may be lost.
  const knows = Math.min(live.size, knownReplicas ?? live.size);
  if (live.get(replica) !== knows) await noteKnown(tx, replica, knows);
  const spent = await spentOf(tx, rows);
  const decided = rows.flatMap((row) => {
    const ask = valid.get(nameOf(row));
    const counted = spent.get(row.principal_id);
    if (ask === undefined || counted === undefined) return [];
    const allotted = allotBudget(
      {
        cap: capOf(state, ask, nowMs) ?? 0,
        ...spendIn(counted, ask.dimension),
        held: row.held,
        live,
        replica,
        wasShort: row.was_short,
      },
      ask,
    );
    count(tally, `budget_${ask.dimension}`, { keeps: ask.keeps, ...allotted });
    return [{ ask, held: livingIn(row, live), ...allotted }];
  });
  if (decided.length > 0) {
    const written = decided.map(({ ask, held, amount, isShort }) => ({
      principal_id: ask.principal_id,
      dimension: ask.dimension,
      held: { ...held, [replica]: amount },
      isShort,
    }));
    await writeBudgetAllotments(tx, written);
  }
  const short = await listShortBudgets(tx, countsMax);
  return {
    replicas: live.size,
    amounts: decided.map(({ ask: { principal_id, dimension }, amount }) => ({
      principal_id,
      dimension,
      amount,
    })),
    short: short.flatMap(({ principal_id, dimension }) =>
      isDimension(dimension) ? [{ principal_id, dimension }] : [],
    ),
  };
}

/** Null without a cap. */
function capOf(
  state: ConfigState,
  { principal_id: id, dimension }: Readonly<{ principal_id: PrincipalId; dimension: string }>,
  nowMs: number,
): number | null {
  const budget = state.principal.byId.get(id)?.budget ?? null;
  if (budget === null) return null;
  const { tokens_total: tokens, cost_total_micros: micros } = capsAt(budget, nowMs);
  return dimension === 'tokens' ? tokens : micros;
}

async function spentOf(
  tx: Queryable,
  rows: readonly BudgetAllotmentRow[],
): Promise<ReadonlyMap<PrincipalId, BudgetUsage>> {
  const ids = new Set(rows.map((row) => row.principal_id));
  const spent = ids.size === 0 ? [] : await budgetUsages(tx, [...ids]);
  return new Map(spent.map((one) => [one.principal_id, one]));
}

const spendIn = (usage: BudgetUsage, dimension: BudgetDimension) =>
  dimension === 'tokens'
    ? { counted: usage.tokens_used, published: usage.published_tokens_used ?? 0 }
    : { counted: usage.cost_used_micros, published: usage.published_cost_used_micros ?? 0 };

/** The allotments of the replicas that are alive. */
const livingIn = ({ held }: BudgetAllotmentRow, live: Live) =>
  Object.fromEntries(Object.entries(held).filter(([one]) => live.has(one)));

const isDimension = (text: string): text is BudgetDimension =>
  budgetDimensions.some((one) => one === text);

const nameOf = ({ principal_id, dimension }: BudgetPlace): string => `${principal_id} ${dimension}`;
