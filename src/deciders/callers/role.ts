// Decides commands on roles and permissions (specification, "Role and permission").

import { roleNamed } from '../../../projections/config/find.ts';
import { streamOf } from '../../../events/catalogue.ts';
import { samePermission } from '../../../projections/config/role.ts';
import type { Role } from '../../../projections/config/role.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { roleId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { listed } from '../../lib/text.ts';
import type { Verb } from '../../lib/vocabulary.ts';
import type { Decision } from '../decision.ts';
import { setFields } from '../set-fields.ts';

export type RoleCommand =
  | Readonly<{ type: 'CreateRole'; name: string; description: string | null }>
  /** Undefined members stay unchanged. */
  | Readonly<{
      type: 'UpdateRole';
      role: string;
      name: string | undefined;
      description: string | null | undefined;
    }>
  | Readonly<{ type: 'DeleteRole'; role: string }>
  | Readonly<{ type: 'GrantPermission'; role: string; verb: Verb; resource: string }>
  | Readonly<{ type: 'RevokePermission'; role: string; verb: Verb; resource: string }>;

export const noRole = (name: string): Refusal => refuse('absent', `role ${name} does not exist`);

export function decideRole(state: ConfigState, command: RoleCommand): Decision {
  if (command.type === 'CreateRole') return createRole(state, command);
  const role = roleNamed(state, command.role);
  if (role === undefined) return noRole(command.role);
  switch (command.type) {
    case 'UpdateRole':
      return updateRole(state, role, command);
    case 'DeleteRole':
      return deleteRole(state, role);
    case 'GrantPermission':
    case 'RevokePermission':
      return changePermission(role, command);
  }
}

type Of<Type extends RoleCommand['type']> = Extract<RoleCommand, { type: Type }>;

function createRole(state: ConfigState, { name, description }: Of<'CreateRole'>): Decision {
  if (roleNamed(state, name) !== undefined) return nameTaken(name);
  const id = roleId.parse(state.role.lastId + 1);
  return [{ stream: streamOf('role', id), type: 'RoleCreated', data: { id, name, description } }];
}

function updateRole(state: ConfigState, role: Role, fields: Of<'UpdateRole'>): Decision {
  const { name = role.name, description } = fields;
  if (name !== role.name && roleNamed(state, name) !== undefined) return nameTaken(name);
  return setFields('role', role, { name, description });
}

/** Rejects the deletion of a role that is held, and names its holders. */
export function deleteRole(state: ConfigState, role: Role): Decision {
  const holders = [...state.principal.byId.values()]
    .filter((principal) => principal.roleIds.includes(role.id))
    // A user's name is personal data in the vault.
    .map((principal) => principal.name.text ?? `principal ${principal.id}`);
  if (holders.length > 0) {
    return refuse('conflict', `role ${role.name} is held by ${listed(holders)}`);
  }
  return [{ stream: streamOf('role', role.id), type: 'RoleDeleted', data: { id: role.id } }];
}

function changePermission(
  role: Role,
  command: Of<'GrantPermission'> | Of<'RevokePermission'>,
): Decision {
  const { verb } = command;
  const resource = checkedResource(command);
  if (isRefusal(resource)) return resource;
  const permission = { verb, resource };
  const held = role.permissions.some((one) => samePermission(one, permission));
  const granting = command.type === 'GrantPermission';
  if (held === granting) {
    if (granting) return [];
    return refuse('absent', `role ${role.name} does not hold ${verb} on ${resource}`);
  }
  const type = granting ? 'RolePermissionGranted' : 'RolePermissionRevoked';
  return [{ stream: streamOf('role', role.id), type, data: { id: role.id, verb, resource } }];
}

/** The prefix of an invoke verb's resource; other verbs accept only `*`. */
const resourcePrefix: Readonly<Record<Verb, string | null>> = {
  'model:invoke': 'model/',
  'mcp:invoke': 'mcp/',
  'agent:invoke': 'agent/',
  'usage:read': null,
  'key:create': null,
  'key:revoke': null,
  'config:write': null,
  'provider:register': null,
};

function checkedResource({ verb, resource }: { verb: Verb; resource: string }): string | Refusal {
  const prefix = resourcePrefix[verb];
  if (prefix === null) {
    if (resource === '*') return resource;
    return refuse('invalid', `resource ${resource} must be * for ${verb}`, { param: 'resource' });
  }
  if (resource.startsWith(prefix) && resource.length > prefix.length) return resource;
  return refuse(
    'invalid',
    `resource ${resource} must be ${prefix}<name> or ${prefix}* for ${verb}`,
    {
      param: 'resource',
    },
  );
}

const nameTaken = (name: string): Refusal =>
  refuse('conflict', `role ${name} exists`, { param: 'name' });
