// Builds the saves for roles, identity and deletion of a principal.

import { calling } from '../../api/http/call.ts';
import { effectivePermissions, invokable } from '../../lib/access/permissions.ts';
import { deletionOf, seen } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { Known, People } from './load.ts';

type Roles = People['roles'];

function rolesShown(principal: Known, held: readonly string[], roles: Roles) {
  const shown = (names: readonly string[]) => ({
    roles: names.join(', ') || null,
    'can invoke': invokable(effectivePermissions(names, roles)),
  });
  return { before: shown(principal.roles), after: shown(held) };
}

export const grantOf = (principal: Known, role: string, roles: Roles): Save => ({
  heading: `Grant ${role} to ${principal.name}`,
  verb: 'Grant role',
  done: `Role ${role} granted to ${principal.name}`,
  ...rolesShown(principal, [...principal.roles, role].toSorted(), roles),
  run: calling('POST', '/admin/principals/{id}/roles', { ...seen(principal), body: { role } }),
});

export const revokeOf = (principal: Known, role: string, roles: Roles): Save => ({
  heading: `Revoke ${role} from ${principal.name}`,
  verb: 'Revoke role',
  done: `Role ${role} revoked from ${principal.name}`,
  ...rolesShown(
    principal,
    principal.roles.filter((one) => one !== role),
    roles,
  ),
  run: calling('DELETE', '/admin/principals/{id}/roles/{role}', {
    params: { id: principal.id, role },
    version: principal.version,
  }),
});

/** Roles that were granted by hand are kept. */
export const unlinkingOf = (principal: Known, roles: Roles): Save => ({
  heading: `Unlink the identity of ${principal.name}`,
  verb: 'Unlink identity',
  done: `Identity of ${principal.name} unlinked`,
  ...rolesShown(
    principal,
    principal.roles.filter((one) => !principal.group_roles.includes(one)),
    roles,
  ),
  danger: true,
  name: principal.name,
  run: calling('DELETE', '/admin/principals/{id}/identity', seen(principal)),
});

export const removalOf = (principal: Known): Save =>
  deletionOf(
    { noun: 'principal', name: principal.name },
    { run: calling('DELETE', '/admin/principals/{id}', seen(principal)) },
  );
