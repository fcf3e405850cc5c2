// Lists the built-in roles (specification, "Role and permission"). A new log starts with them. They
// can be changed.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { RoleId } from '../../lib/ids.ts';
import type { Verb } from '../../lib/vocabulary.ts';

type Grant = readonly [Verb, string];
type BuiltInRole = Readonly<{ name: string; description: string; grants: readonly Grant[] }>;

const everyModel: Grant = ['model:invoke', 'model/*'];
const operations: readonly Grant[] = [
  ['usage:read', '*'],
  ['key:create', '*'],
  ['key:revoke', '*'],
  ['config:write', '*'],
];

export const adminRole: BuiltInRole = {
  name: 'admin',
  description: 'May do everything',
  grants: [
    ...operations,
    ['provider:register', '*'],
    everyModel,
    ['mcp:invoke', 'mcp/*'],
    ['agent:invoke', 'agent/*'],
  ],
};

export const builtInRoles: readonly BuiltInRole[] = [
  { name: 'inference', description: 'May invoke every model', grants: [everyModel] },
  { name: 'operator', description: 'May operate gw, but invoke no model', grants: operations },
  adminRole,
];

export const builtInRoleEvents = (role: BuiltInRole, id: RoleId): readonly GwEvent[] => {
  const { name, description } = role;
  const created = { stream: streamOf('role', id), type: 'RoleCreated' } as const;
  return [{ ...created, data: { id, name, description } }, ...grantEvents(role.grants, id)];
};

export const grantEvents = (grants: readonly Grant[], id: RoleId): readonly GwEvent[] =>
  grants.map(([verb, resource]) => ({
    stream: streamOf('role', id),
    type: 'RolePermissionGranted',
    data: { id, verb, resource },
  }));
