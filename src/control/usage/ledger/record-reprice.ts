// Applies a recomputation of costs in the transaction of its event, or removes what it wrote.

import type { Queryable } from '@databases/pg';

import { applyReprice, discardReprice, holdReprice } from '../../../db/usage/ledger/reprices.ts';
import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import type { CommandOf, MutationContext } from '../../commands/execute.ts';
import { createPlanReprice, lostPlace } from './reprice.ts';
import type { PlanReprice, Repriced, RepriceAsked, RepriceDependencies } from './reprice.ts';

/** The command that records a recomputation, and what its transaction must do. */
export type RepriceMutation = Readonly<{
  command: CommandOf<'RecordReprice'>;
  precondition: NonNullable<MutationContext['precondition']>;
  conclude: (tx: Queryable) => Promise<void>;
}>;

export type Reprice = Readonly<{
  plan: PlanReprice;
  /** Runs the mutation of a planned recomputation. Removes its corrections if that fails. */
  record: <Done>(
    made: Repriced & Readonly<{ id: number }>,
    execute: (mutation: RepriceMutation) => Promise<Done | Refusal>,
  ) => Promise<Done | Refusal>;
}>;

type Dependencies = RepriceDependencies &
  Readonly<{
    /** Publishes the spending of budgets. */
    rebuild: () => Promise<void>;
    onFailure: (error: unknown) => void;
  }>;

export function createReprice(dependencies: Dependencies): Reprice {
  const { db, clock, rebuild, onFailure } = dependencies;
  return {
    plan: createPlanReprice(dependencies),
    record: async (made, execute) => {
      let isApplied = false;
      try {
        const done = await execute({
          command: commandOf(made),
          precondition: async (_state, tx) => ((await holdReprice(tx, made.id)) ? null : lostPlace),
          conclude: (tx) => applyReprice(tx, { ...made, at: new Date(clock()) }),
        });
        isApplied = !isRefusal(done);
        if (isApplied && made.budgets.length > 0) await rebuild().catch(onFailure);
        return done;
      } finally {
        if (!isApplied) await discardReprice(db, made.id);
      }
    },
  };
}

const commandOf = (made: Repriced & Readonly<{ id: number }>): RepriceMutation['command'] => ({
  type: 'RecordReprice',
  repriced: {
    reprice_id: made.id,
    ...spanOf(made.asked),
    model_id: made.modelId,
    card: made.asked.card,
    rows: made.rows,
    corrected_rows: made.correctedRows,
    unpriced_rows: made.unpricedRows,
    totals: made.totals,
  },
});

const spanOf = ({ since, until }: RepriceAsked) => ({ since, until });
