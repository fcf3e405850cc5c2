// Rejects changes through the admin API that would leave no administrator: a principal that can
// sign in and holds config:write. Only `gw set-password` could create one again. It compares the
// states before and after each change, so that no command can bypass it.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { administratorsOf } from '../../../projections/config/grants.ts';

/** Only these events can take config:write or a login from a principal. */
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
  /** The caller confirmed with `force`. */
  isForced: boolean;
}>;

/** Null if an administrator remains, or if there was none before. */
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
