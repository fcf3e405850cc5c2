// What caps each principal: its rate limits and its budget, joined. Those without either are unlimited.

import { listBudgets } from '../../api/budgets.ts';
import type { Budget } from '../../api/budgets.ts';
import { listLimits } from '../../api/limits.ts';
import type { Limits } from '../../api/limits.ts';
import { listPrincipals } from '../../api/principals.ts';

/** `id`, `name` and `version` are those of the principal, whose parts these are. */
export type Capped = Readonly<{
  id: number;
  name: string;
  version: number;
  limits: Limits | null;
  budget: Budget | null;
}>;

export async function loadCapped(signal: AbortSignal): Promise<readonly Capped[]> {
  const [principals, limits, budgets] = await Promise.all([
    listPrincipals(signal),
    listLimits(signal),
    listBudgets(signal),
  ]);
  const limitsOf = new Map(limits.map((one) => [one.principal_id, one]));
  const budgetOf = new Map(budgets.map((one) => [one.principal_id, one]));
  return principals.map(({ id, name, version }) => ({
    id,
    name,
    version,
    limits: limitsOf.get(id) ?? null,
    budget: budgetOf.get(id) ?? null,
  }));
}

export const isCapped = ({ limits, budget }: Capped): boolean => limits !== null || budget !== null;
