// What can be done to a role, each as a save: what changes, and the call that changes it.

import { call } from '../../api/http/call.ts';
import type { Role } from '../../api/records.ts';
import { permissionText } from '../../lib/access/permissions.ts';
import { roleBody, roleChange } from '../../lib/access/role-draft.ts';
import type { RoleDraft } from '../../lib/access/role-draft.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

type Permission = Role['permissions'][number];

/** Its calls name it by its name, the log by its id. */
const streamOf = ({ id }: Role): string => `role-${id}`;

const textsOf = (permissions: readonly Permission[]): readonly string[] =>
  permissions.map(permissionText).toSorted();

export function creationOf(draft: RoleDraft): Save {
  const body = roleBody(draft);
  return {
    heading: `Add role ${body.name}`,
    verb: 'Add role',
    done: `Role ${body.name} added`,
    before: {},
    after: body,
    opens: theMade,
    run: (change) => call('POST', '/admin/roles', { body, ...change }),
  };
}

export function changeOf(role: Role, draft: RoleDraft): Save {
  const body = roleChange(draft, role);
  return {
    heading: `Change ${role.name}`,
    verb: 'Publish change',
    done: `Role ${role.name} changed`,
    before: { name: role.name, description: role.description },
    after: body,
    stream: streamOf(role),
    run: (change) =>
      call('PATCH', '/admin/roles/{name}', {
        params: { name: role.name },
        body,
        version: role.version,
        ...change,
      }),
  };
}

export function grantOf(role: Role, permission: Permission): Save {
  const text = permissionText(permission);
  return {
    heading: `Grant to ${role.name}`,
    verb: 'Grant permission',
    done: `${text} granted to ${role.name}`,
    before: { permissions: textsOf(role.permissions) },
    after: { permissions: textsOf([...role.permissions, permission]) },
    stream: streamOf(role),
    run: (change) =>
      call('POST', '/admin/roles/{name}/permissions', {
        params: { name: role.name },
        body: permission,
        version: role.version,
        ...change,
      }),
  };
}

export function revokeOf(role: Role, permission: Permission): Save {
  const text = permissionText(permission);
  return {
    heading: `Revoke from ${role.name}`,
    verb: 'Revoke permission',
    done: `${text} revoked from ${role.name}`,
    before: { permissions: textsOf(role.permissions) },
    after: {
      permissions: textsOf(role.permissions.filter((one) => permissionText(one) !== text)),
    },
    stream: streamOf(role),
    run: (change) =>
      call('DELETE', '/admin/roles/{name}/permissions', {
        params: { name: role.name },
        body: permission,
        version: role.version,
        ...change,
      }),
  };
}

export const deletionOf = (role: Role): Save => ({
  heading: `Delete ${role.name}`,
  verb: 'Delete role',
  done: `Role ${role.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: role.name,
  opens: theList,
  stream: streamOf(role),
  run: (change) =>
    call('DELETE', '/admin/roles/{name}', {
      params: { name: role.name },
      version: role.version,
      ...change,
    }),
});
