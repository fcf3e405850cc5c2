// Loads roles with their holders.

import { list } from '../../api/http/call.ts';
import type { Role } from '../../api/records.ts';

export type HeldRole = Role &
  Readonly<{ holders: readonly Readonly<{ id: number; name: string }>[] }>;

export async function loadRoles(
  signal: AbortSignal,
): Promise<Readonly<{ rows: readonly HeldRole[] }>> {
  const [roles, principals] = await Promise.all([
    list('/admin/roles', { signal }),
    list('/admin/principals', { signal }),
  ]);
  const rows = roles.map((role) =>
    Object.assign({}, role, {
      holders: principals
        .filter((one) => one.roles.includes(role.name))
        .map(({ id, name }) => ({ id, name })),
    }),
  );
  return { rows };
}
