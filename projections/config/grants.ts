// Resolves the permissions of a principal from its roles, and compares those of two principals
// (docs/guides/keys-and-secrets.md, "Permissions").

import type { Principal } from './principal.ts';
import { samePermission } from './role.ts';
import type { Permission } from './role.ts';
import type { ConfigState } from './state.ts';
import type { AdminTokenId, PrincipalId } from '../../src/lib/ids.ts';
import type { Verb } from '../../src/lib/vocabulary.ts';

const permissionsOf = (state: ConfigState, id: PrincipalId): readonly Permission[] =>
  (state.principal.byId.get(id)?.roleIds ?? []).flatMap(
    (roleId) => state.role.byId.get(roleId)?.permissions ?? [],
  );

/** Null if the principal does not exist. */
export const verbsOf = (state: ConfigState, id: PrincipalId): ReadonlySet<Verb> | null =>
  state.principal.byId.has(id) ? new Set(permissionsOf(state, id).map(({ verb }) => verb)) : null;

/** `tokenId` is set if an admin token authenticated the request. */
export type Holder = Readonly<{ principalId: PrincipalId; tokenId: AdminTokenId | null }>;

/** Those of the principal, limited to those of the token. Null without a principal. */
export function verbsHeld(
  state: ConfigState,
  { principalId, tokenId }: Holder,
): ReadonlySet<Verb> | null {
  const held = verbsOf(state, principalId);
  if (held === null || tokenId === null) return held;
  const carried = state.admin_token.byId.get(tokenId)?.permissions ?? [];
  return new Set(carried.filter((verb) => held.has(verb)));
}

/** Also requires that the principal exists. */
export const mayWriteConfig = (state: ConfigState, id: PrincipalId): boolean =>
  permissionsOf(state, id).some(({ verb }) => verb === 'config:write');

/** Principals that may change the whole configuration and can sign in. */
export const administratorsOf = (state: ConfigState): readonly Principal[] =>
  [...state.principal.byId.values()].filter(
    ({ id, passwordRef, identity }) =>
      (passwordRef !== null || identity !== null) && mayWriteConfig(state, id),
  );

/**
 * True if `holder` has every permission of `other`: by equal or wider grants, or because it may
 * grant itself any.
 */
export function mayAsMuch(state: ConfigState, holder: Holder, other: PrincipalId): boolean {
  if (verbsHeld(state, holder)?.has('config:write') === true) return true;
  const held = permissionsOf(state, holder.principalId);
  return permissionsOf(state, other).every((wanted) => held.some((one) => covers(one, wanted)));
}

/** `model/*` covers every model. */
const covers = (held: Permission, wanted: Permission): boolean =>
  samePermission(held, wanted) ||
  (held.verb === wanted.verb &&
    held.resource.endsWith('/*') &&
    wanted.resource.startsWith(held.resource.slice(0, -1)));
