// Nothing done through the admin API may leave the control plane without an administrator: a principal that can sign in and holds
// config:write. Only `gw set-password` could make one again. Asked of the state after every change, so that no command goes round it.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { administratorsOf } from '../../../projections/config/grants.ts';

/** No other event takes config:write or a login from a principal. */
const taking: ReadonlySet<GwEvent['type']> = new Set([
  'PrincipalDeleted',
  'PrincipalRoleRevoked',
  'PrincipalIdentityUnlinked',
  'RolePermissionRevoked',
  'RoleDeleted',
]);

type Change = Readonly<{
  before: ConfigState;
  after: ConfigState;
  events: readonly GwEvent[];
  /** The command line can set a password afterwards, and an identity provider decides about its own groups. */
  actor: EventMetadata['actor']['kind'];
  command: string;
  /** The caller wants it all the same. */
  isForced: boolean;
}>;

/** Null when an administrator is left, or when there was none before. */
export function refuseLockOut(change: Change): Refusal | null {
  const { before, after, events, actor, command, isForced } = change;
  if (isForced || actor === 'cli' || command === 'AdmitIdentity') return null;
  if (!events.some(({ type }) => taking.has(type))) return null;
  if (administratorsOf(after).length > 0 || administratorsOf(before).length === 0) return null;
  return refuse(
    'conflict',
    'this would leave no principal that can sign in and holds config:write: give another principal ' +
      'a login and that permission first, or repeat the request with ?force=true. Afterwards only ' +
      'gw set-password can create an administrator',
    { param: 'force' },
  );
}
