// Decides which budget spending is published to proxies and starts new windows (specification,
// states table, "Budget"). The database decides for all replicas, so any replica can run this and
// serve any proxy.

import type { ConfigState } from '../../../projections/config/state.ts';
import { snapshotConfig } from '../../../projections/snapshot.ts';
import {
  advanceWindows,
  holdBudgets,
  holdOverlay,
  readBudgets,
  tellSpend,
} from '../../db/usage/budget-usage.ts';
import type { BudgetReading, BudgetUsage, WindowMove } from '../../db/usage/budget-usage.ts';
import type { Database } from '../../db/pool.ts';
import type { Clock } from '../../lib/clock.ts';
import { marksOf, mustReport } from '../../limits/band.ts';
import type { Marks } from '../../limits/band.ts';
import { nextWindowStart } from '../../limits/window.ts';
import type { BudgetUse } from '../../snapshot/schema.ts';
import type { Caps, Spent } from '../../snapshot/spend.ts';

/** Equal `seq` means equal `uses` on all replicas. */
export type BudgetOverlay = Readonly<{ seq: number; uses: readonly BudgetUse[] }>;

export type Budgets = Readonly<{
  /** The published figures, as of the last rebuild. */
  overlay: (state: ConfigState) => BudgetOverlay;
  /** Reads the published figures. */
  load: () => Promise<void>;
  /** Starts the next window of each budget whose window has ended, and decides what to publish. */
  rebuild: () => Promise<void>;
}>;

type Dependencies = Readonly<{ db: Database; state: () => ConfigState; clock: Clock }>;

export function createBudgets({ db, state, clock }: Dependencies): Budgets {
  let held: BudgetReading = { seq: 0, usages: [] };
  let marks: Readonly<{ hash: string; marks: Marks }> = { hash: '', marks: [] };
  const marksAt = (state: ConfigState): Marks => {
    const { hash } = state;
    if (marks.hash !== hash)
      marks = { hash, marks: marksOf(snapshotConfig(state).frontend_models) };
    return marks.marks;
  };
  return {
    overlay: (state) => ({ seq: held.seq, uses: held.usages.flatMap((one) => useOf(one, state)) }),
    load: async () => {
      held = await readBudgets(db);
    },
    rebuild: async () => {
      const read = await readBudgets(db);
      if (read.usages.length === 0) return void (held = read);
      const moment = { state: state(), marks: marksAt(state()), now: clock() };
      const isDue = movesOf(read, moment).length > 0 || dueSpending(read, moment).length > 0;
      held = isDue ? await publishSpending(db, moment) : read;
    },
  };
}

type Moment = Readonly<{ state: ConfigState; marks: Marks; now: number }>;

/**
 * Reads the budgets again under the lock of the overlay, so that two replicas do not do the same
 * work.
 */
const publishSpending = (db: Database, moment: Moment): Promise<BudgetReading> =>
  db.tx(async (tx) => {
    await holdOverlay(tx);
    const before = await readBudgets(tx);
    const moves = movesOf(before, moment);
    if (moves.length > 0) {
      // Locks in the order of ids first, as usage does.
      const ids = moves.map(({ principalId }) => principalId);
      await holdBudgets(tx, ids);
      await advanceWindows(tx, moves);
    }
    const moved = moves.length > 0 ? await readBudgets(tx) : before;
    // Publishes a new window even without spending: proxies need its start.
    const turned = moves.map(({ principalId }) => principalId);
    const ids = [...new Set([...turned, ...dueSpending(moved, moment)])];
    if (ids.length === 0) return moved;
    await holdBudgets(tx, ids);
    await tellSpend(tx, { ids, seq: moved.seq + 1 });
    return readBudgets(tx);
  });

const movesOf = ({ usages }: BudgetReading, { state, now }: Moment): WindowMove[] =>
  usages.flatMap(({ principal_id: principalId, window_start: from }) => {
    const budget = state.principal.byId.get(principalId)?.budget ?? null;
    const to = budget === null ? null : nextWindowStart(from.getTime(), budget.window, now);
    return to === null ? [] : [{ principalId, from, to: new Date(to) }];
  });

/** The principals whose spending must be published now. */
const dueSpending = ({ usages }: BudgetReading, { state, marks }: Moment) =>
  usages.flatMap((usage) => {
    const caps = capsOf(state, usage);
    const isTold = caps === null || !mustReport(caps, toldOf(usage), usage, marks);
    return isTold ? [] : [usage.principal_id];
  });

function capsOf(state: ConfigState, { principal_id: id }: BudgetUsage): Caps | null {
  const budget = state.principal.byId.get(id)?.budget ?? null;
  if (budget === null) return null;
  return { tokens_total: budget.tokensTotal, cost_total_micros: budget.costTotalMicros };
}

const toldOf = (usage: BudgetUsage): Spent | null =>
  usage.published_tokens_used === null || usage.published_cost_used_micros === null
    ? null
    : {
        tokens_used: usage.published_tokens_used,
        cost_used_micros: usage.published_cost_used_micros,
      };

/** Budgets that are not in this replica's state are omitted from its overlay. */
function useOf(usage: BudgetUsage, state: ConfigState): BudgetUse[] {
  const told = toldOf(usage);
  if (told === null || capsOf(state, usage) === null) return [];
  const window_start = usage.window_start.toISOString();
  return [{ principal_id: usage.principal_id, ...told, window_start }];
}
