// What a principal may do by its roles, and whether another may do as much (docs/operate.md, "Who may do what").

import type { Principal } from '../../projections/config/principal.ts';
import { samePermission } from '../../projections/config/role.ts';
import type { Permission } from '../../projections/config/role.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { PrincipalId } from '../lib/ids.ts';

const permissionsOf = (state: ConfigState, id: PrincipalId): readonly Permission[] =>
  (state.principal.byId.get(id)?.roleIds ?? []).flatMap(
    (roleId) => state.role.byId.get(roleId)?.permissions ?? [],
  );

const holdsVerb = (state: ConfigState, id: PrincipalId, verb: Permission['verb']): boolean =>
  permissionsOf(state, id).some((one) => one.verb === verb);

/** Whether there is such a principal, and it may change all of the configuration. */
export const mayWriteConfig = (state: ConfigState, id: PrincipalId): boolean =>
  holdsVerb(state, id, 'config:write');

/** Those who may change all of the configuration, and log in. */
export const administratorsOf = (state: ConfigState): readonly Principal[] =>
  [...state.principal.byId.values()].filter(
    ({ id, passwordRef, identity }) =>
      (passwordRef !== null || identity !== null) && mayWriteConfig(state, id),
  );

/** Whether `holder` may do all that `other` may: by the same grants, by wider ones, or because it may grant itself any. */
export function mayAsMuch(state: ConfigState, holder: PrincipalId, other: PrincipalId): boolean {
  if (mayWriteConfig(state, holder)) return true;
  const held = permissionsOf(state, holder);
  return permissionsOf(state, other).every((wanted) => held.some((one) => covers(one, wanted)));
}

/** `model/*` is every model. */
const covers = (held: Permission, wanted: Permission): boolean =>
  samePermission(held, wanted) ||
  (held.verb === wanted.verb &&
    held.resource.endsWith('/*') &&
    wanted.resource.startsWith(held.resource.slice(0, -1)));
