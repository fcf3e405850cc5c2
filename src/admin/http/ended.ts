// Checks whether a request's session or token is still valid when its mutation is made.

import type { AdminTokens } from '../../control/access/admin-tokens.ts';
import type { Sessions } from '../../control/access/sessions.ts';
import { refuse } from '../../lib/refusal.ts';
import { sessionToken } from './authorise.ts';
import type { Call } from './route.ts';

export type Lasting = Readonly<{
  sessions: Pick<Sessions, 'ownerIn'>;
  adminTokens: Pick<AdminTokens, 'isLive'>;
}>;

/** Preparing a mutation may take seconds, and the caller may have signed out by then. */
export const endedFor =
  (
    { sessions, adminTokens }: Lasting,
    { caller, headers }: Pick<Call, 'caller' | 'headers'>,
  ): Call['ended'] =>
  async (state, tx) => {
    if (caller.kind === 'admin_token') {
      const isLive = adminTokens.isLive(state, caller.tokenId);
      return isLive ? null : endedToken;
    }
    if (caller.kind !== 'session') return null;
    const owner = await sessions.ownerIn(state, tx, sessionToken(headers) ?? '');
    return owner === caller.principalId ? null : endedSession;
  };

const endedToken = refuse('unauthenticated', 'the admin token was revoked or has expired');
const endedSession = refuse(
  'unauthenticated',
  'the session ended before the change was made; sign in again',
);
