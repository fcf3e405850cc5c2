// What a new log begins with (specification, "Principal", "Role and permission"): principal 1, a service account with role
// inference, and the built-in roles.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { StoredName } from '../../events/principal.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { principalId, roleId } from '../lib/ids.ts';
import type { Verb } from '../lib/vocabulary.ts';
import type { Decision } from './decision.ts';

export type SeedCommand = Readonly<{ type: 'SeedLog'; bootstrapName: StoredName }>;

type Grant = readonly [Verb, string];

const everyModel: Grant = ['model:invoke', 'model/*'];
const operations: readonly Grant[] = [
  ['usage:read', '*'],
  ['key:create', '*'],
  ['key:revoke', '*'],
  ['config:write', '*'],
];
const builtInRoles: readonly Readonly<{
  name: string;
  description: string;
  grants: readonly Grant[];
}>[] = [
  { name: 'inference', description: 'May invoke every model', grants: [everyModel] },
  { name: 'operator', description: 'May operate gw, but invoke no model', grants: operations },
  {
    name: 'admin',
    description: 'May do everything',
    grants: [...operations, everyModel, ['mcp:invoke', 'mcp/*'], ['agent:invoke', 'agent/*']],
  },
];

/** Does nothing on a log that has begun. */
export function decideSeed(state: ConfigState, { bootstrapName }: SeedCommand): Decision {
  if (state.position > 0) return [];
  const id = principalId.parse(1);
  const stream = streamOf('principal', id);
  return [
    ...builtInRoles.flatMap(roleEvents),
    {
      stream,
      type: 'PrincipalCreated',
      data: { id, kind: 'service_account', name: bootstrapName, email_ref: null },
    },
    { stream, type: 'PrincipalRoleGranted', data: { id, role_id: roleId.parse(1) } },
  ];
}

function roleEvents(role: (typeof builtInRoles)[number], index: number): GwEvent[] {
  const id = roleId.parse(index + 1);
  const stream = streamOf('role', id);
  const { name, description, grants } = role;
  return [
    { stream, type: 'RoleCreated', data: { id, name, description } },
    ...grants.map(
      ([verb, resource]) =>
        ({ stream, type: 'RolePermissionGranted', data: { id, verb, resource } }) as const,
    ),
  ];
}
