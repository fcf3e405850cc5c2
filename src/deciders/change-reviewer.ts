// Who may approve or review a change: another principal than its author, who may write the configuration, with a credential that the
// author has not given it.

import type { ChangeRequest } from '../../projections/config/change-request.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { mayWriteConfig } from './grants.ts';

/**
 * Who approves, and by which credential: the ref of the password that began the session, or of the verifier of a key. `givenBy` are those
 * who could have come by it (credential-givers.ts).
 */
export type Reviewer = Readonly<{
  principalId: PrincipalId;
  credential: Readonly<{ ref: string; givenBy: readonly PrincipalId[] }>;
}>;

/** Null when they may. */
export function refuseReviewer(
  state: ConfigState,
  { authorId }: Pick<ChangeRequest, 'authorId'>,
  { principalId, credential }: Reviewer,
): Refusal | null {
  if (principalId === authorId) {
    return refuse('forbidden', 'nobody approves or reviews a change of their own');
  }
  if (!mayWriteConfig(state, principalId)) {
    return refuse('forbidden', 'to approve or review a change needs config:write');
  }
  if (!isHeld(state, principalId, credential.ref)) {
    return refuse('conflict', 'your credential was replaced meanwhile; log in again');
  }
  if (authorId !== null && credential.givenBy.includes(authorId)) {
    return refuse(
      'forbidden',
      'the author of this change gave you your credential, or gave one to who did: ' +
        'let another administrator, or gw set-password, set your password',
    );
  }
  return null;
}

function isHeld(state: ConfigState, id: PrincipalId, ref: string): boolean {
  if (state.principal.byId.get(id)?.passwordRef === ref) return true;
  return [...state.api_key.byId.values()].some(
    ({ principalId, verifierRef, disabled }) =>
      principalId === id && verifierRef === ref && !disabled,
  );
}
