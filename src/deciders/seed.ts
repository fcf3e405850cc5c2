// Seeds a new log (specification, "Principal", "Role and permission") with principal 1, a service
// account with role inference, and the built-in roles.

import { streamOf } from '../../events/catalogue.ts';
import type { StoredName } from '../../events/principal.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { principalId, roleId } from '../lib/ids.ts';
import { builtInRoleEvents, builtInRoles } from './callers/built-in-roles.ts';
import type { Decision } from './decision.ts';

export type SeedCommand = Readonly<{ type: 'SeedLog'; bootstrapName: StoredName }>;

/** Does nothing if the log has events. */
export function decideSeed(state: ConfigState, { bootstrapName }: SeedCommand): Decision {
  if (state.position > 0) return [];
  const id = principalId.parse(1);
  const stream = streamOf('principal', id);
  return [
    ...builtInRoles.flatMap((role, index) => builtInRoleEvents(role, roleId.parse(index + 1))),
    {
      stream,
      type: 'PrincipalCreated',
      data: { id, kind: 'service_account', name: bootstrapName, email_ref: null },
    },
    { stream, type: 'PrincipalRoleGranted', data: { id, role_id: roleId.parse(1) } },
  ];
}
