// Stores the highest percentages of budgets that a notification was sent for.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { PrincipalId } from '../../lib/ids.ts';

export type AlertedBudget = Readonly<{
  principalId: PrincipalId;
  tokensPercent: number;
  costPercent: number;
}>;

/** The next window starts with none. */
export const setAlerted = (tx: Queryable, alerted: readonly AlertedBudget[]): Promise<unknown> =>
  tx.query(sql`
    update op.budget_usage held
    set alerted_tokens_percent = now.tokens, alerted_cost_percent = now.cost
    from unnest(
      ${alerted.map((one) => one.principalId)}::bigint[],
      ${alerted.map((one) => one.tokensPercent)}::smallint[],
      ${alerted.map((one) => one.costPercent)}::smallint[]
    ) as now (principal_id, tokens, cost)
    where held.principal_id = now.principal_id`);
