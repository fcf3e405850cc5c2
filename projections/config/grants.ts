// What a principal may do by its roles, and whether another may do as much (docs/guides/keys-and-secrets.md, "Permissions").

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

/** Null when there is no such principal. */
export const verbsOf = (state: ConfigState, id: PrincipalId): ReadonlySet<Verb> | null =>
  state.principal.byId.has(id) ? new Set(permissionsOf(state, id).map(({ verb }) => verb)) : null;

/** Who sent a request. `tokenId` is set when it was authenticated by an admin token. */
export type Holder = Readonly<{ principalId: PrincipalId; tokenId: AdminTokenId | null }>;

/** What a request may do: what the principal holds now, and of that only what the token carries. Null without a principal. */
export function verbsHeld(
  state: ConfigState,
  { principalId, tokenId }: Holder,
): ReadonlySet<Verb> | null {
  const held = verbsOf(state, principalId);
  if (held === null || tokenId === null) return held;
  const carried = state.admin_token.byId.get(tokenId)?.permissions ?? [];
  return new Set(carried.filter((verb) => held.has(verb)));
}

/** Whether there is such a principal, and it may change all of the configuration. */
export const mayWriteConfig = (state: ConfigState, id: PrincipalId): boolean =>
  permissionsOf(state, id).some(({ verb }) => verb === 'config:write');

/** Those who may change all of the configuration, and log in. */
export const administratorsOf = (state: ConfigState): readonly Principal[] =>
  [...state.principal.byId.values()].filter(
    ({ id, passwordRef, identity }) =>
      (passwordRef !== null || identity !== null) && mayWriteConfig(state, id),
  );

/** Whether `holder` may do all that `other` may: by the same grants, by wider ones, or because it may grant itself any. */
export function mayAsMuch(state: ConfigState, holder: Holder, other: PrincipalId): boolean {
  if (verbsHeld(state, holder)?.has('config:write') === true) return true;
  const held = permissionsOf(state, holder.principalId);
  return permissionsOf(state, other).every((wanted) => held.some((one) => covers(one, wanted)));
}

/** `model/*` is every model. */
const covers = (held: Permission, wanted: Permission): boolean =>
  samePermission(held, wanted) ||
  (held.verb === wanted.verb &&
    held.resource.endsWith('/*') &&
    wanted.resource.startsWith(held.resource.slice(0, -1)));
