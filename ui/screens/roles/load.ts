// Roles, each with who holds it.

import { listPrincipals } from '../../api/principals.ts';
import { listRoles } from '../../api/roles.ts';
import type { Role } from '../../api/roles.ts';

export type HeldRole = Role &
  Readonly<{ holders: readonly Readonly<{ id: number; name: string }>[] }>;

export async function loadRoles(signal: AbortSignal): Promise<readonly HeldRole[]> {
  const [roles, principals] = await Promise.all([listRoles(signal), listPrincipals(signal)]);
  return roles.map((role) =>
    Object.assign({}, role, {
      holders: principals
        .filter((one) => one.roles.includes(role.name))
        .map(({ id, name }) => ({ id, name })),
    }),
  );
}
