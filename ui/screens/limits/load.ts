// Loads the rate limits and the budget of each principal.

import { list } from '../../api/http/call.ts';
import type { Budget, Limits } from '../../api/records.ts';

/** `id`, `name` and `version` belong to the principal. */
export type Capped = Readonly<{
  id: number;
  name: string;
  version: number;
  limits: Limits | null;
  budget: Budget | null;
}>;

export async function loadCapped(
  signal: AbortSignal,
): Promise<Readonly<{ rows: readonly Capped[] }>> {
  const [principals, limits, budgets] = await Promise.all([
    list('/admin/principals', { signal }),
    list('/admin/limits', { signal }),
    list('/admin/budgets', { signal }),
  ]);
  const limitsOf = new Map(limits.map((one) => [one.principal_id, one]));
  const budgetOf = new Map(budgets.map((one) => [one.principal_id, one]));
  const rows = principals.map(({ id, name, version }) => ({
    id,
    name,
    version,
    limits: limitsOf.get(id) ?? null,
    budget: budgetOf.get(id) ?? null,
  }));
  return { rows };
}

export const isCapped = ({ limits, budget }: Capped): boolean => limits !== null || budget !== null;
