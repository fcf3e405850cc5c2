// Decides commands on principals and the roles that they hold (specification, "Principals, keys,
// roles").

import { roleNamed } from '../../../projections/config/find.ts';
import { streamOf } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import { findValue } from '../../../projections/config/id-map.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { adminTokenId, apiKeyId, principalId } from '../../lib/ids.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { listed } from '../../lib/text.ts';
import type { PrincipalKind } from '../../lib/vocabulary.ts';
import type { Decision } from '../decision.ts';

export type PrincipalCommand =
  | Readonly<{
      type: 'CreatePrincipal';
      name: StoredName;
      kind: PrincipalKind;
      emailRef: string | null;
    }>
  /** Undefined members stay unchanged; `emailRef` null clears the address. */
  | Readonly<{
      type: 'UpdatePrincipal';
      id: PrincipalId;
      name: StoredName | undefined;
      emailRef: string | null | undefined;
    }>
  | Readonly<{ type: 'DeletePrincipal'; id: PrincipalId }>
  | Readonly<{ type: 'GrantRole'; id: PrincipalId; role: string }>
  | Readonly<{ type: 'RevokeRole'; id: PrincipalId; role: string }>
  | Readonly<{ type: 'SetPassword'; id: PrincipalId; passwordRef: string }>
  /** Records a sign-in with the link of gw dev, for the audit log. It changes nothing. */
  | Readonly<{ type: 'SignInByLink'; id: PrincipalId }>;

export function decidePrincipal(state: ConfigState, command: PrincipalCommand): Decision {
  switch (command.type) {
    case 'CreatePrincipal':
      return createPrincipal(state, command);
    case 'UpdatePrincipal':
      return updatePrincipal(state, command);
    case 'DeletePrincipal':
      return deletePrincipal(state, command.id);
    case 'GrantRole':
      return grantRole(state, command);
    case 'RevokeRole':
      return revokeRole(state, command);
    case 'SetPassword': {
      const { id, passwordRef } = command;
      if (!state.principal.byId.has(id)) return noPrincipal(id);
      const data = { id, password_ref: passwordRef };
      return [{ stream: streamOf('principal', id), type: 'PrincipalPasswordSet', data }];
    }
    case 'SignInByLink':
      return state.principal.byId.has(command.id) ? [] : noPrincipal(command.id);
  }
}

type Of<Type extends PrincipalCommand['type']> = Extract<PrincipalCommand, { type: Type }>;

function createPrincipal(state: ConfigState, command: Of<'CreatePrincipal'>): Decision {
  if (holderOfName(state, command.name) !== undefined) return nameTaken();
  const id = principalId.parse(state.principal.lastId + 1);
  const { kind, name, emailRef } = command;
  const data = { id, kind, name, email_ref: emailRef };
  return [{ stream: streamOf('principal', id), type: 'PrincipalCreated', data }];
}

function updatePrincipal(state: ConfigState, command: Of<'UpdatePrincipal'>): Decision {
  const { id, name, emailRef } = command;
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const stream = streamOf('principal', id);
  const renamed = name !== undefined && name.fingerprint !== principal.name.fingerprint;
  if (renamed && holderOfName(state, name) !== undefined) return nameTaken();
  const readdressed = emailRef !== undefined && !(emailRef === null && principal.emailRef === null);
  return [
    ...(renamed ? [{ stream, type: 'PrincipalRenamed', data: { id, name } } as const] : []),
    ...(readdressed
      ? [{ stream, type: 'PrincipalEmailSet', data: { id, email_ref: emailRef } } as const]
      : []),
  ];
}

/**
 * Deletes grants, keys, limits and budget by explicit events, so that replay and comparison show
 * them.
 */
function deletePrincipal(state: ConfigState, id: PrincipalId): Decision {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const stream = streamOf('principal', id);
  const keys = [...state.api_key.byId.values()].filter((key) => key.principalId === id);
  const tokens = [...state.admin_token.byId.values()].filter((token) => token.principalId === id);
  return [
    ...keys.map(
      (key) =>
        ({
          stream: streamOf('api_key', key.id),
          type: 'ApiKeyDeleted',
          data: { id: apiKeyId.parse(key.id) },
        }) as const,
    ),
    ...tokens.map(
      (token) =>
        ({
          stream: streamOf('admin_token', token.id),
          type: 'AdminTokenDeleted',
          data: { id: adminTokenId.parse(token.id) },
        }) as const,
    ),
    ...principal.roleIds.map(
      (roleId) =>
        ({ stream, type: 'PrincipalRoleRevoked', data: { id, role_id: roleId } }) as const,
    ),
    ...(principal.limits === null
      ? []
      : [{ stream, type: 'PrincipalLimitsCleared', data: { id } } as const]),
    ...(principal.budget === null
      ? []
      : [{ stream, type: 'PrincipalBudgetCleared', data: { id } } as const]),
    { stream, type: 'PrincipalDeleted', data: { id } },
  ];
}

function grantRole(state: ConfigState, { id, role: name }: Of<'GrantRole'>): Decision {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const role = roleNamed(state, name);
  if (role === undefined) {
    const known = listed([...state.role.byId.values()].map((one) => one.name));
    return refuse('invalid', `role ${name} does not exist; known roles: ${known}`, {
      param: 'role',
    });
  }
  const isGiven =
    principal.roleIds.includes(role.id) && !principal.identityRoleIds.includes(role.id);
  if (isGiven) return [];
  const data = { id, role_id: role.id };
  return [{ stream: streamOf('principal', id), type: 'PrincipalRoleGranted', data }];
}

function revokeRole(state: ConfigState, { id, role: name }: Of<'RevokeRole'>): Decision {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  const role = roleNamed(state, name);
  if (role === undefined || !principal.roleIds.includes(role.id)) {
    return refuse('absent', `principal ${id} does not hold role ${name}`);
  }
  const data = { id, role_id: role.id };
  return [{ stream: streamOf('principal', id), type: 'PrincipalRoleRevoked', data }];
}

export const holderOfName = (
  state: ConfigState,
  name: Pick<StoredName, 'fingerprint'>,
): Principal | undefined =>
  findValue(state.principal.byId, (one) => one.name.fingerprint === name.fingerprint);

const nameTaken = (): Refusal =>
  refuse('conflict', 'a principal with this name exists', { param: 'name' });

export const noPrincipal = (id: number): Refusal =>
  refuse('absent', `principal ${id} does not exist`);
