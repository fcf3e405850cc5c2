// Decides commands of single sign-on: which principal an identity signs in as, and which roles
// follow from the groups that the issuer reports (docs/adr/0039-single-sign-on.md). Manually
// granted roles are not changed.

import { roleNamed } from '../../../projections/config/find.ts';
import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { Identity, StoredName } from '../../../events/principal.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { principalId } from '../../lib/ids.ts';
import type { PrincipalId, RoleId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';
import { holderOfName, noPrincipal } from './principal.ts';

/** Decides what happens to an identity that no principal has yet. */
export type FirstLogin =
  | Readonly<{ kind: 'refuse' }>
  | Readonly<{ kind: 'link'; id: PrincipalId }>
  | Readonly<{ kind: 'create'; name: StoredName; emailRef: string | null }>;

export type IdentityCommand =
  /** `roles` follow from the groups of the identity. Names without a role are ignored. */
  | Readonly<{
      type: 'AdmitIdentity';
      identity: Identity;
      first: FirstLogin;
      roles: readonly string[];
    }>
  /** Also ends its sessions and revokes the roles that followed from its groups. */
  | Readonly<{ type: 'UnlinkIdentity'; id: PrincipalId }>;

export function decideIdentity(state: ConfigState, command: IdentityCommand): Decision {
  switch (command.type) {
    case 'AdmitIdentity':
      return admit(state, command);
    case 'UnlinkIdentity':
      return unlink(state, command.id);
  }
}

type Of<Type extends IdentityCommand['type']> = Extract<IdentityCommand, { type: Type }>;

/** The fingerprint covers issuer and subject together. */
export const holderOfIdentity = (
  state: ConfigState,
  { fingerprint }: Pick<Identity, 'fingerprint'>,
): Principal | undefined =>
  [...state.principal.byId.values()].find((one) => one.identity?.fingerprint === fingerprint);

function admit(state: ConfigState, { identity, first, roles }: Of<'AdmitIdentity'>): Decision {
  const mapped = new Set(roles.flatMap((name) => roleNamed(state, name)?.id ?? []));
  const held = holderOfIdentity(state, identity);
  if (held !== undefined) return roleEvents(held, mapped);
  switch (first.kind) {
    case 'refuse':
      return unknown();
    case 'link':
      return link(state, { id: first.id, identity, mapped });
    case 'create': {
      if (holderOfName(state, first.name) !== undefined) {
        return refuse('conflict', 'a principal with this name exists', { param: 'name' });
      }
      const id = principalId.parse(state.principal.lastId + 1);
      const { name, emailRef } = first;
      const stream = streamOf('principal', id);
      const created = { id, kind: 'user', name, email_ref: emailRef } as const;
      return [
        { stream, type: 'PrincipalCreated', data: created },
        { stream, type: 'PrincipalIdentityLinked', data: { id, identity } },
        ...roleEvents({ id, roleIds: [], identityRoleIds: [] }, mapped),
      ];
    }
  }
}

type Linking = Readonly<{ id: PrincipalId; identity: Identity; mapped: ReadonlySet<RoleId> }>;

function link(state: ConfigState, { id, identity, mapped }: Linking): Decision {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  if (principal.kind !== 'user') {
    return refuse('conflict', `principal ${id} is a service account and cannot sign in`);
  }
  if (principal.identity !== null) {
    return refuse('conflict', `principal ${id} is linked with another identity`);
  }
  const stream = streamOf('principal', id);
  return [
    { stream, type: 'PrincipalIdentityLinked', data: { id, identity } },
    ...roleEvents(principal, mapped),
  ];
}

/** Revokes roles that no longer follow from the groups, and grants new ones. */
function roleEvents(
  { id, roleIds, identityRoleIds }: Pick<Principal, 'id' | 'roleIds' | 'identityRoleIds'>,
  mapped: ReadonlySet<RoleId>,
): readonly GwEvent[] {
  const stream = streamOf('principal', id);
  const granted = [...mapped]
    .filter((role) => !roleIds.includes(role))
    .map((role) => ({
      stream,
      type: 'PrincipalRoleGranted' as const,
      data: { id, role_id: role, by_identity: true as const },
    }));
  const revoked = identityRoleIds
    .filter((role) => !mapped.has(role))
    .map((role) => ({
      stream,
      type: 'PrincipalRoleRevoked' as const,
      data: { id, role_id: role },
    }));
  return [...granted, ...revoked];
}

function unlink(state: ConfigState, id: PrincipalId): Decision {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return noPrincipal(id);
  if (principal.identity === null) {
    return refuse('absent', `principal ${id} is not linked with an identity`);
  }
  const stream = streamOf('principal', id);
  return [
    ...roleEvents(principal, new Set()),
    { stream, type: 'PrincipalIdentityUnlinked', data: { id } },
  ];
}

const unknown = (): Refusal => refuse('forbidden', 'no principal is linked with this identity');
