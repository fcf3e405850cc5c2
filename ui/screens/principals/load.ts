// Loads principals with what other lists know about them.

import { list } from '../../api/http/call.ts';
import type { Budget, Limits, Principal, Role } from '../../api/records.ts';
import { effectivePermissions, invokable } from '../../lib/access/permissions.ts';
import type { Effective } from '../../lib/access/permissions.ts';

export type Known = Principal &
  Readonly<{
    /** API keys that are not revoked. */
    keys: number;
    limits: Limits | null;
    budget: Budget | null;
    permissions: readonly Effective[];
    mayInvoke: string;
  }>;

export type People = Readonly<{ rows: readonly Known[]; roles: readonly Role[] }>;

export async function loadPeople(signal: AbortSignal): Promise<People> {
  const [principals, keys, limits, budgets, roles] = await Promise.all([
    list('/admin/principals', { signal }),
    list('/admin/keys', { signal }),
    list('/admin/limits', { signal }),
    list('/admin/budgets', { signal }),
    list('/admin/roles', { signal }),
  ]);
  const keysOf = Map.groupBy(
    keys.filter(({ disabled }) => !disabled),
    (key) => key.principal_id,
  );
  const limitsOf = new Map(limits.map((one) => [one.principal_id, one]));
  const budgetOf = new Map(budgets.map((one) => [one.principal_id, one]));
  const rows = principals.map((one) => {
    const permissions = effectivePermissions(one.roles, roles);
    return Object.assign({}, one, {
      keys: keysOf.get(one.id)?.length ?? 0,
      limits: limitsOf.get(one.id) ?? null,
      budget: budgetOf.get(one.id) ?? null,
      permissions,
      mayInvoke: invokable(permissions),
    });
  });
  return { rows, roles };
}
