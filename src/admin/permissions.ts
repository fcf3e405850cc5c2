// What a principal may do: the verbs of the roles it holds.

import type { ConfigState } from '../../projections/config/state.ts';
import type { PrincipalId } from '../lib/ids.ts';
import type { Verb } from '../lib/vocabulary.ts';

/** Null when there is no such principal. */
export function verbsOf(state: ConfigState, id: PrincipalId): ReadonlySet<Verb> | null {
  const principal = state.principal.byId.get(id);
  if (principal === undefined) return null;
  const roles = principal.roleIds.flatMap((roleId) => state.role.byId.get(roleId) ?? []);
  return new Set(roles.flatMap(({ permissions }) => permissions.map(({ verb }) => verb)));
}
