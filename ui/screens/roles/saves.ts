// Builds the saves of a role.

import { calling } from '../../api/http/call.ts';
import type { Role } from '../../api/records.ts';
import { permissionText } from '../../lib/access/permissions.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import { roleBody, roleChange } from '../../lib/access/role-draft.ts';
import type { RoleDraft } from '../../lib/access/role-draft.ts';
import { additionOf, changeOf, deletionOf } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

/** API paths use the name of the role; the log uses its id. */
const on = ({ name, version }: Role) => ({ params: { name }, version });
const wordsOf = ({ id, name }: Role) => ({ noun: 'role', name, stream: `role-${id}` });

export function saveOf(role: Role | null, draft: RoleDraft): Save {
  if (role !== null) {
    const { name, description } = role;
    const body = roleChange(draft, role);
    const run = calling('PATCH', '/admin/roles/{name}', { ...on(role), body });
    return changeOf(wordsOf(role), { before: { name, description }, after: body, run });
  }
  const body = roleBody(draft);
  const run = calling('POST', '/admin/roles', { body });
  return additionOf({ noun: 'role', name: body.name }, { after: body, run });
}

export const grantOf = (role: Role, body: Role['permissions'][number]): Save => ({
  heading: `Grant permission to ${role.name}`,
  verb: 'Grant permission',
  done: `${permissionText(body)} granted to ${role.name}`,
  ...permissionsOf(role, [...role.permissions, body]),
  run: calling('POST', '/admin/roles/{name}/permissions', { ...on(role), body }),
});

export function revokeOf(role: Role, body: Role['permissions'][number]): Save {
  const text = permissionText(body);
  return {
    heading: `Revoke permission from ${role.name}`,
    verb: 'Revoke permission',
    done: `${text} revoked from ${role.name}`,
    ...permissionsOf(
      role,
      role.permissions.filter((one) => permissionText(one) !== text),
    ),
    run: calling('DELETE', '/admin/roles/{name}/permissions', { ...on(role), body }),
  };
}

export const removalOf = (role: Role): Save =>
  deletionOf(wordsOf(role), { run: calling('DELETE', '/admin/roles/{name}', on(role)) });

const permissionsOf = (role: Role, after: readonly Permission[]) => ({
  before: { permissions: textsOf(role.permissions) },
  after: { permissions: textsOf(after) },
  stream: `role-${role.id}`,
});

const textsOf = (permissions: readonly Permission[]): readonly string[] =>
  permissions.map(permissionText).toSorted();
