// Decides which budget spending is published to proxies and starts new windows (specification,
// states table, "Budget"). The database decides for all replicas, so any replica can run this and
// serve any proxy.

import { isDeepStrictEqual } from 'node:util';

import type { Budget } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { frontendModelMembers } from '../../../projections/snapshot.ts';
import {
  advanceWindows,
  holdBudgets,
  holdOverlay,
  readBudgets,
  tellSpend,
} from '../../db/usage/budget-usage.ts';
import type {
  BudgetReading,
  BudgetUsage,
  ToldWindow,
  WindowMove,
} from '../../db/usage/budget-usage.ts';
import type { Database } from '../../db/pool.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { Clock } from '../../lib/clock.ts';
import { marksOf, mustReport } from '../../limits/band.ts';
import type { Marks } from '../../limits/band.ts';
import { capsAt } from './budget-caps.ts';
import { begunWindowEnd, nextWindow } from '../../limits/window.ts';
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
  let seq = 0;
  let told: ToldUses = new Map();
  const usesOf = createShownUses();
  const hold = (read: BudgetReading): void => {
    seq = read.seq;
    told = toldUses(read, told);
  };
  let known: Readonly<{ models: unknown; marks: Marks }> = { models: null, marks: [] };
  const marksAt = (state: ConfigState): Marks => {
    const models = state.frontend_model;
    if (known.models !== models) known = { models, marks: marksOf(frontendModelMembers(state)) };
    return known.marks;
  };
  return {
    overlay: (state) => ({ seq, uses: usesOf(told, state) }),
    load: async () => hold(await readBudgets(db)),
    rebuild: async () => {
      const read = await readBudgets(db);
      if (read.usages.length === 0) return hold(read);
      const moment = { state: state(), marks: marksAt(state()), now: clock() };
      const isDue = movesOf(read, moment).length > 0 || dueSpending(read, moment).length > 0;
      hold(isDue ? await publishSpending(db, moment) : read);
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
    const due = new Set([...turned, ...dueSpending(moved, moment)]);
    const told = moved.usages.filter(({ principal_id: id }) => due.has(id));
    if (told.length === 0) return moved;
    const ids = told.map(({ principal_id: id }) => id);
    await holdBudgets(tx, ids);
    const windows = told.flatMap((usage) => toldWindow(usage, moment));
    await tellSpend(tx, { told: windows, seq: moved.seq + 1 });
    return readBudgets(tx);
  });

const movesOf = ({ usages }: BudgetReading, { state, now }: Moment): WindowMove[] =>
  usages.flatMap((usage) => {
    const budget = budgetOf(state, usage);
    const next = budget === null ? null : nextWindow(budget, begunOf(usage), now);
    if (next === null) return [];
    const { principal_id: principalId, window_start: from } = usage;
    const end = next.endMs === null ? null : new Date(next.endMs);
    return [{ principalId, from, to: new Date(next.startMs), end }];
  });

const begunOf = ({ window_start: start, window_end: end }: BudgetUsage) => ({
  startMs: start.getTime(),
  endMs: end?.getTime() ?? null,
});

type Budgeted = Readonly<{ principal_id: PrincipalId }>;

const budgetOf = (state: ConfigState, { principal_id: id }: Budgeted): Budget | null =>
  state.principal.byId.get(id)?.budget ?? null;

function toldWindow(usage: BudgetUsage, { state }: Pick<Moment, 'state'>): ToldWindow[] {
  const budget = budgetOf(state, usage);
  if (budget === null) return [];
  const windowEnd = new Date(begunWindowEnd(budget, begunOf(usage)));
  return [{ principalId: usage.principal_id, windowEnd }];
}

/** The principals whose spending or window must be published now. */
const dueSpending = ({ usages }: BudgetReading, moment: Moment): PrincipalId[] =>
  usages.flatMap((usage) => {
    const caps = capsOf(usage, moment);
    if (caps === null) return [];
    const [window] = toldWindow(usage, moment);
    const isTold = window?.windowEnd.getTime() === usage.published_window_end?.getTime();
    const isDue = !isTold || mustReport(caps, toldOf(usage), usage, moment.marks);
    return isDue ? [usage.principal_id] : [];
  });

function capsOf(usage: BudgetUsage, { state, now }: Pick<Moment, 'state' | 'now'>): Caps | null {
  const budget = budgetOf(state, usage);
  return budget === null ? null : capsAt(budget, now);
}

const toldOf = (usage: BudgetUsage): Spent | null =>
  usage.published_tokens_used === null || usage.published_cost_used_micros === null
    ? null
    : {
        tokens_used: usage.published_tokens_used,
        cost_used_micros: usage.published_cost_used_micros,
      };

/** The published figures by principal, in the order of their ids. */
type ToldUses = ReadonlyMap<PrincipalId, BudgetUse>;

/** Keeps unchanged figures as the same objects, so that publishing does not compare all of them. */
function toldUses({ usages }: BudgetReading, before: ToldUses): ToldUses {
  const uses = usages.flatMap((usage) => {
    const use = useOf(usage);
    const held = before.get(usage.principal_id);
    if (use === null) return [];
    return [held !== undefined && isDeepStrictEqual(use, held) ? held : use];
  });
  const isSame =
    uses.length === before.size && uses.every((use) => before.get(use.principal_id) === use);
  return isSame ? before : new Map(uses.map((use) => [use.principal_id, use]));
}

/** Omits budgets that are not in this replica's state. Returns the same list if nothing changed. */
function createShownUses(): (told: ToldUses, state: ConfigState) => readonly BudgetUse[] {
  let shown: Readonly<{ told: ToldUses; principals: unknown; uses: readonly BudgetUse[] }> | null =
    null;
  return (told, state) => {
    if (shown?.told === told && shown.principals === state.principal) return shown.uses;
    const uses = [...told.values()].filter((use) => budgetOf(state, use) !== null);
    shown = { told, principals: state.principal, uses };
    return uses;
  };
}

function useOf(usage: BudgetUsage): BudgetUse | null {
  const told = toldOf(usage);
  if (told === null) return null;
  const window_start = usage.window_start.toISOString();
  const end = usage.published_window_end;
  const ended = end === null ? {} : { window_end: end.toISOString() };
  return { principal_id: usage.principal_id, ...told, window_start, ...ended };
}
