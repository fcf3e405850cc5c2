// Decides set-password, which gives a principal a working login even if roles were changed
// (specification, "Commands of the binary", set-password).

import { roleNamed } from '../../../projections/config/find.ts';
import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import { samePermission } from '../../../projections/config/role.ts';
import type { Role } from '../../../projections/config/role.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { principalId, roleId } from '../../lib/ids.ts';
import type { RoleId } from '../../lib/ids.ts';
import { adminRole, builtInRoleEvents, grantEvents } from './built-in-roles.ts';
import type { Decision } from '../decision.ts';
import { holderOfName } from './principal.ts';

export type LoginCommand = Readonly<{ type: 'SetLogin'; name: StoredName; passwordRef: string }>;

/**
 * Creates the principal if it does not exist, sets its password, and grants `admin` unless it can
 * already write the configuration. If `admin` lacks that permission, grants the role with most
 * permissions that has it. If no role has it, creates or repairs `admin`.
 */
export function decideLogin(state: ConfigState, { name, passwordRef }: LoginCommand): Decision {
  const held = holderOfName(state, name);
  const id = held?.id ?? principalId.parse(state.principal.lastId + 1);
  const stream = streamOf('principal', id);
  const created = { id, kind: 'user', name, email_ref: null } as const;
  const login: GwEvent[] = [
    ...(held === undefined ? [{ stream, type: 'PrincipalCreated', data: created } as const] : []),
    { stream, type: 'PrincipalPasswordSet', data: { id, password_ref: passwordRef } },
  ];
  const heldRoles = held?.roleIds ?? [];
  if (heldRoles.some((one) => mayWriteConfig(state.role.byId.get(one)))) return login;
  const { role, events } = writingRole(state);
  login.push(...events);
  if (!heldRoles.includes(role)) {
    login.push({ stream, type: 'PrincipalRoleGranted', data: { id, role_id: role } });
  }
  return login;
}

const mayWriteConfig = (role: Role | undefined): boolean =>
  role?.permissions.some(({ verb }) => verb === 'config:write') ?? false;

type WritingRole = Readonly<{ role: RoleId; events: readonly GwEvent[] }>;

function writingRole(state: ConfigState): WritingRole {
  const admin = roleNamed(state, adminRole.name);
  if (admin !== undefined && mayWriteConfig(admin)) return { role: admin.id, events: [] };
  const [other] = [...state.role.byId.values()]
    .filter(mayWriteConfig)
    .toSorted((a, b) => b.permissions.length - a.permissions.length);
  if (other !== undefined) return { role: other.id, events: [] };
  if (admin === undefined) {
    const role = roleId.parse(state.role.lastId + 1);
    return { role, events: builtInRoleEvents(adminRole, role) };
  }
  const lacking = adminRole.grants.filter(
    ([verb, resource]) => !admin.permissions.some((one) => samePermission(one, { verb, resource })),
  );
  return { role: admin.id, events: grantEvents(lacking, admin.id) };
}
