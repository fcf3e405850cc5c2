// Decides who may approve or review a change: a principal other than its author that can write the
// configuration. Author and reviewer must not be able to be one person: neither gave the other a
// credential, and no third principal gave a credential to both.

import type { ChangeRequest } from '../../../projections/config/change-request.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { mayWriteConfig } from '../../../projections/config/grants.ts';

/**
 * The credential used is the ref of the password, of the identity, or of the verifier of a key.
 * `givenBy` are the principals that may know it (credential-givers.ts).
 */
export type Reviewer = Readonly<{
  principalId: PrincipalId;
  credential: Readonly<{ ref: string; givenBy: readonly PrincipalId[] }>;
  /**
   * The principals that may know the credentials that the author had at the time of the draft or
   * change.
   */
  authorGivenBy: readonly PrincipalId[];
}>;

/** Null if the review is allowed. */
export function refuseReviewer(
  state: ConfigState,
  { authorId }: Pick<ChangeRequest, 'authorId'>,
  { principalId, credential, authorGivenBy }: Reviewer,
): Refusal | null {
  if (principalId === authorId) {
    return refuse('forbidden', 'you cannot approve or review your own change');
  }
  if (!mayWriteConfig(state, principalId)) {
    return refuse('forbidden', 'approving or reviewing a change requires config:write');
  }
  if (!isHeld(state, principalId, credential.ref)) {
    return refuse('conflict', 'your credential was replaced in the meantime; sign in again');
  }
  if (authorId !== null && credential.givenBy.includes(authorId)) {
    return refuse(
      'forbidden',
      'the author of this change gave you your credential, or gave one to the principal who did: ' +
        renewed('your'),
    );
  }
  if (authorGivenBy.includes(principalId)) {
    return refuse(
      'forbidden',
      'you gave the author of this change their credential, or gave one to the principal who did: ' +
        `${renewed('their')}, and create the change again`,
    );
  }
  if (authorGivenBy.some((one) => credential.givenBy.includes(one))) {
    return refuse(
      'forbidden',
      'the same principal gave you and the author of this change your credentials: ' +
        renewed('your'),
    );
  }
  return null;
}

/** Instructions that work for both kinds of credential. */
const renewed = (whose: 'your' | 'their'): string =>
  `let another administrator, or gw set-password, set ${whose} password, ` +
  `and unlink ${whose} identity if there is one (DELETE /admin/principals/{id}/identity)`;

/** Has a login and config:write. `givenBy` are the principals that may know its credentials. */
export type Administrator = Readonly<{ id: PrincipalId; givenBy: ReadonlySet<PrincipalId> }>;

/** The rule is symmetric. */
export const someMayReview = (administrators: readonly Administrator[]): boolean =>
  administrators.some((one, index) =>
    administrators.slice(index + 1).some((other) => !couldBeOne(one, other)),
  );

const couldBeOne = (one: Administrator, other: Administrator): boolean =>
  one.givenBy.has(other.id) ||
  other.givenBy.has(one.id) ||
  [...one.givenBy].some((giver) => other.givenBy.has(giver));

function isHeld(state: ConfigState, id: PrincipalId, ref: string): boolean {
  const principal = state.principal.byId.get(id);
  if (principal?.passwordRef === ref || principal?.identity?.ref === ref) return true;
  return [...state.api_key.byId.values()].some(
    ({ principalId, verifierRef, disabled }) =>
      principalId === id && verifierRef === ref && !disabled,
  );
}
